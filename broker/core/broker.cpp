// SPDX-License-Identifier: Apache-2.0
// Permission first, then one function for each message.
#include "broker/core/broker.hpp"

#include "broker/core/lending.hpp"
#include "broker/core/placeholder.hpp"
#include "broker/core/signing.hpp"
#include "broker/protocol/codec.hpp"

#include <algorithm>
#include <iterator>

namespace aduana::broker {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t handle_bytes = 16;
constexpr std::chrono::milliseconds longest_wait = 10s;
constexpr std::chrono::milliseconds revocation_budget = 10s;
/// Nobody waits for the result, and the machine should be as it was soon.
constexpr std::chrono::milliseconds abandoned_budget = 1500ms;

Refused no_such_task()
{
    return {RefusalCode::no_such_task, "no task is open under this handle: it has ended, or never began"};
}

Refused waited_in_vain(const std::string& credential)
{
    return {RefusalCode::source_unavailable,
            "credential '" + credential + "': its issuer has not answered for 10 s; is it up?"};
}

/// With the newest value of the credential, wherever it comes from.
Granted<Signed> sign_with(const Task& task, const Sign& request, const SigningTerms& terms, const Random& random)
{
    const auto& name = terms.declaration.name;
    const auto current = task.desk.current(name);
    if (const auto* keys = current ? std::get_if<AwsKeys>(&current->value) : nullptr)
        return sign_for_aws(request, terms,
                            {keys->access_key_id, keys->secret_access_key.reveal(), keys->session_token.reveal()});
    const auto* value = current ? std::get_if<Secret>(&current->value) : task.vault.find(name);
    if (value == nullptr)
        return Refused{RefusalCode::source_unavailable, "credential '" + name + "': there is no value"};
    if (!std::holds_alternative<policy::AwsInjection>(terms.declaration.inject))
        return sign_by_hmac(request, terms, *value, random);
    const auto key = read_aws_key(value->reveal());
    if (!key)
        return Refused{RefusalCode::source_unavailable, "credential '" + name + "': its value is no key of AWS"};
    return sign_for_aws(request, terms, *key);
}

} // namespace

Outcome Broker::handle(const Message& message, Sender sender, Moment now, const Material& material)
{
    const auto type = type_of(message);
    if (!permitted(type, sender.peer, phase_))
        return {.breach = Error{"the " + std::string(name_of(sender.peer)) + " peer sent " +
                                std::string(name_of(type)) + ", which it may not send now"}};
    Outcome outcome;
    std::optional<Message> reply;
    if (const auto* opening = std::get_if<TaskOpen>(&message))
        reply = open(*opening, material, now.steady, outcome);
    else if (const auto* closing = std::get_if<TaskClose>(&message))
        close(*closing, sender, now, outcome);
    else if (const auto* wanted = std::get_if<Acquire>(&message))
        reply = acquire({sender.request, *wanted, now.steady + longest_wait}, now, outcome);
    else if (const auto* unsigned_request = std::get_if<Sign>(&message))
        reply = sign(*unsigned_request, now);
    else if (const auto* released = std::get_if<Release>(&message))
        release(*released);
    if (reply)
        outcome.replies.push_back({sender, std::move(*reply)});
    return outcome;
}

Message Broker::open(const TaskOpen& request, const Material& material, Instant now, Outcome& outcome)
{
    if (tasks_.size() >= max_tasks)
        return Refused{RefusalCode::bad_request,
                       "task '" + request.task + "': 4096 tasks are open already; end some of them first"};
    auto task = open_task(request, material);
    if (!task)
        return task.error();

    task->opened = now;

    TaskOpened opened;
    opened.handle = random_bytes(random_, handle_bytes);
    for (const auto& [name, declaration] : task->grants.credentials()) {
        if (task->grants.is_parents(name))
            continue;
        auto placeholders = make_placeholders(declaration, random_);
        if (declaration.placeholder_is_aws && !placeholders.empty())
            task->aws_ids.emplace(name, placeholders.front().value);
        std::ranges::move(placeholders, std::back_inserter(opened.placeholders));
    }
    if (opened.placeholders.size() > max_placeholders)
        return Refused{RefusalCode::invalid_file, request.credentials_file +
                                                      ": the credentials of one task have more than 1024 placeholder "
                                                      "variables; remove some"};
    outcome.errands = task->sweep.begin(next_errand_);
    tasks_.emplace(opened.handle, std::move(*task));
    phase_ = Phase::serving;
    return opened;
}

void Broker::close(const TaskClose& request, Sender sender, Moment now, Outcome& outcome)
{
    auto ended = tasks_.extract(request.handle);
    if (ended.empty()) {
        outcome.replies.push_back({sender, no_such_task()});
        return;
    }
    begin_closing(ended.mapped(), sender, now, outcome);
    end_closings(now.steady, outcome);
}

// The values that were handed over are wiped with the task; those of issuers are kept until they are taken back.
void Broker::begin_closing(Task& task, std::optional<Sender> closer, Moment now, Outcome& outcome)
{
    DeskTurn turn;
    task.desk.close(world(now), turn);
    auto revoked = task.leases.close();
    const auto budget = closer ? revocation_budget : abandoned_budget;
    closing_.push_back({.desk = std::move(task.desk),
                        .sweep = std::move(task.sweep),
                        .closed = {std::move(revoked), {}, {}},
                        .closer = closer,
                        .deadline = now.steady + budget});
    settle(std::move(turn), now, outcome);
}

void Broker::end_closings(Instant now, Outcome& outcome)
{
    for (auto& closing : closing_) {
        const auto closer = closing.is_over(now) ? std::exchange(closing.closer, std::nullopt) : std::nullopt;
        if (!closer)
            continue;
        closing.closed.unrevoked = closing.desk.unrevoked();
        closing.closed.swept = closing.sweep.taken_back();
        outcome.replies.push_back({*closer, std::move(closing.closed)});
        closing.deadline = now;
    }
    std::erase_if(closing_, [now](const Closing& closing) { return closing.is_over(now); });
}

Outcome Broker::abandon(Moment now)
{
    Outcome outcome;
    for (auto& [handle, task] : std::exchange(tasks_, {}))
        begin_closing(task, std::nullopt, now, outcome);
    end_closings(now.steady, outcome);
    return outcome;
}

std::optional<Message> Broker::acquire(Waiter waiter, Moment now, Outcome& outcome)
{
    const auto& request = waiter.acquire;
    const auto found = tasks_.find(request.handle);
    if (found == tasks_.end())
        return no_such_task();
    auto& task = found->second;
    const auto granted = task.grants.judge(request);
    if (!granted)
        return granted.error();
    if (task.desk.mints(request.credential))
        return acquire_minted(task, **granted, std::move(waiter), now, outcome);
    if (!request.rejected.empty())
        return Refused{RefusalCode::no_other_value,
                       "credential '" + request.credential + "': the upstream rejects the value that its source holds"};
    return lend_stored(task, **granted, {request, now, random_});
}

std::optional<Message> Broker::acquire_minted(Task& task, const policy::CredentialDeclaration& declaration,
                                              Waiter waiter, Moment now, Outcome& outcome)
{
    const auto& name = declaration.name;
    const auto before = task.desk.current(name);
    const bool is_retry = !waiter.acquire.rejected.empty();
    const bool newest = before && task.leases.is_current(name, waiter.acquire.rejected);
    const std::uint64_t rejected = newest ? before->generation : 0;
    const Acquire request = waiter.acquire;
    DeskTurn turn;
    const auto verdict = is_retry ? task.desk.rejected(std::move(waiter), rejected, world(now), turn)
                                  : task.desk.acquire(std::move(waiter), world(now), turn);
    settle(std::move(turn), now, outcome);
    if (verdict == Minting::Verdict::wait)
        return std::nullopt;
    const auto current = task.desk.current(name);
    if (verdict == Minting::Verdict::serve && current)
        return lend_minted(task, declaration, *current, {request, now, random_});
    return task.desk.refusal(name, now.steady);
}

void Broker::settle(DeskTurn turn, Moment now, Outcome& outcome)
{
    for (auto& errand : turn.errands)
        outcome.errands.push_back(std::move(errand));
    for (auto& waiter : turn.ready) {
        const Sender sender{Peer::proxy, waiter.request};
        auto reply = now.steady >= waiter.deadline ? std::optional<Message>(waited_in_vain(waiter.acquire.credential))
                                                   : acquire(std::move(waiter), now, outcome);
        if (reply)
            outcome.replies.push_back({sender, std::move(*reply)});
    }
}

Outcome Broker::returned(std::uint64_t errand, const Carried& carried, Moment now)
{
    Outcome outcome;
    DeskTurn turn;
    bool known = false;
    for (auto task = tasks_.begin(); task != tasks_.end() && !known; ++task)
        known = task->second.sweep.returned(errand, carried) ||
                task->second.desk.returned(errand, carried, world(now), turn);
    for (auto closing = closing_.begin(); closing != closing_.end() && !known; ++closing)
        known = closing->sweep.returned(errand, carried) || closing->desk.returned(errand, carried, world(now), turn);
    settle(std::move(turn), now, outcome);
    end_closings(now.steady, outcome);
    return outcome;
}

Outcome Broker::tick(Moment now)
{
    Outcome outcome;
    DeskTurn turn;
    for (auto& [handle, task] : tasks_)
        task.desk.tick(world(now), turn);
    settle(std::move(turn), now, outcome);
    end_closings(now.steady, outcome);
    return outcome;
}

std::optional<Instant> Broker::next_tick() const
{
    std::optional<Instant> next;
    for (const auto& [handle, task] : tasks_)
        next = earlier(next, task.desk.next_tick());
    for (const auto& closing : closing_)
        next = earlier(next, closing.deadline);
    return next;
}

Message Broker::sign(const Sign& request, Moment now)
{
    const auto found = tasks_.find(request.request.handle);
    if (found == tasks_.end())
        return no_such_task();
    auto& task = found->second;
    std::vector<std::string_view> names;
    names.reserve(request.fields.size());
    for (const auto& field : request.fields)
        names.push_back(field.name);
    const auto granted = task.grants.judge(request.request, {request.query, names});
    if (!granted)
        return granted.error();
    const auto& declaration = **granted;
    if (!task.leases.is_held(declaration.name, request.lease))
        return Refused{RefusalCode::expired,
                       "credential '" + declaration.name + "': a signature was asked for without a lease"};
    const auto id = task.aws_ids.find(declaration.name);
    const SigningTerms terms{declaration, id == task.aws_ids.end() ? std::string_view() : id->second, now.wall};
    auto answer = sign_with(task, request, terms, random_);
    if (!answer)
        return answer.error();
    return std::move(*answer);
}

void Broker::release(const Release& request)
{
    if (const auto found = tasks_.find(request.handle); found != tasks_.end())
        found->second.leases.release(request.lease);
}

} // namespace aduana::broker
