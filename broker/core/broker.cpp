// SPDX-License-Identifier: Apache-2.0
// Permission first, then one function for each message.
#include "broker/core/broker.hpp"

#include "broker/core/injection.hpp"
#include "broker/core/placeholder.hpp"
#include "broker/protocol/codec.hpp"

namespace aduana::broker {
namespace {

constexpr std::size_t handle_bytes = 16;

Refused no_such_task()
{
    return {RefusalCode::no_such_task, "no task is open under this handle: it has ended, or never began"};
}

} // namespace

Outcome Broker::handle(const Message& message, Peer peer, Instant now, const Material& material)
{
    const auto type = type_of(message);
    if (!permitted(type, peer, phase_))
        return {.breach = Error{"the " + std::string(name_of(peer)) + " peer sent " + std::string(name_of(type)) +
                                ", which it may not send now"}};
    if (const auto* request = std::get_if<TaskOpen>(&message))
        return {.reply = open(*request, material)};
    if (const auto* request = std::get_if<TaskClose>(&message))
        return {.reply = close(*request)};
    if (const auto* request = std::get_if<Acquire>(&message))
        return {.reply = acquire(*request, now)};
    if (const auto* request = std::get_if<Release>(&message))
        release(*request);
    return {};
}

Message Broker::open(const TaskOpen& request, const Material& material)
{
    if (tasks_.size() >= max_tasks)
        return Refused{RefusalCode::bad_request,
                       "task '" + request.task + "': 4096 tasks are open already; end some of them first"};
    auto task = open_task(request, material);
    if (!task)
        return task.error();

    TaskOpened opened;
    opened.handle = random_bytes(random_, handle_bytes);
    for (const auto& [name, declaration] : task->grants.credentials()) {
        if (task->grants.is_parents(name))
            continue;
        for (auto& placeholder : make_placeholders(declaration, random_))
            opened.placeholders.push_back(std::move(placeholder));
    }
    if (opened.placeholders.size() > max_placeholders)
        return Refused{RefusalCode::invalid_file, request.credentials_file +
                                                      ": the credentials of one task have more than 1024 placeholder "
                                                      "variables; remove some"};
    tasks_.emplace(opened.handle, std::move(*task));
    phase_ = Phase::serving;
    return opened;
}

Message Broker::close(const TaskClose& request)
{
    const auto found = tasks_.find(request.handle);
    if (found == tasks_.end())
        return no_such_task();
    TaskClosed closed{found->second.leases.close()};
    // The values are wiped with the task.
    tasks_.erase(found);
    return closed;
}

Message Broker::acquire(const Acquire& request, Instant now)
{
    const auto found = tasks_.find(request.handle);
    if (found == tasks_.end())
        return no_such_task();
    auto& task = found->second;
    const auto granted = task.grants.judge(request);
    if (!granted)
        return granted.error();
    const auto& declaration = **granted;

    const auto* secret = task.vault.find(declaration.name);
    if (secret == nullptr)
        return Refused{RefusalCode::source_unavailable, "credential '" + declaration.name + "': there is no value"};
    auto injection = inject(declaration, *secret);
    if (!injection)
        return Refused{RefusalCode::source_unavailable, describe(injection.error())};
    if (task.grants.is_parents(declaration.name))
        address_to_proxy(*injection);
    auto use = task.leases.acquire(declaration.name, declaration.lease, now, random_);
    if (!use)
        return Refused{RefusalCode::expired, "credential '" + declaration.name + "': its lease terms allow no use"};

    Lease lease;
    lease.id = std::move(use->id);
    lease.credential = declaration.name;
    lease.generation = use->generation;
    lease.valid_ms = static_cast<std::uint64_t>(use->valid.count());
    lease.uses_left = use->uses_left;
    lease.fresh = use->fresh;
    lease.fields = std::move(injection->fields);
    lease.edits = std::move(injection->edits);
    lease.scrub = std::move(injection->scrub);
    return lease;
}

void Broker::release(const Release& request)
{
    if (const auto found = tasks_.find(request.handle); found != tasks_.end())
        found->second.leases.release(request.lease);
}

} // namespace aduana::broker
