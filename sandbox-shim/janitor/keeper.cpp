// SPDX-License-Identifier: Apache-2.0
// Remembers in order, cleans up in the order: sandbox, services, journal, cgroups and files.
#include "sandbox-shim/janitor/keeper.hpp"

#include "audit/journal.hpp"
#include "channel/datagram.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace aduana::shim {

namespace {

using namespace std::chrono_literals;

constexpr auto sandbox_dies_within = 700ms;
/// Time for the proxy to close its records itself, as it sees its control socket end, and more than a courier takes for
/// the refresh tokens that are under way when its broker is killed.
constexpr auto services_end_within = 900ms;
constexpr auto services_die_within = 300ms;
constexpr auto session_ends_within = 1000ms;
constexpr int removal_patience_ms = 600;

const audit::TaskEnd killed = {137, "killed", {}, 0};

audit::Micros now_us()
{
    return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

} // namespace

Result<Ok> Keeper::serve(int socket)
{
    while (true) {
        auto received = receive_datagram(socket);
        if (!received || received->state == ReceiveState::closed)
            return clean_up(killed);
        auto message = decode(received->datagram.bytes);
        wipe(received->datagram.bytes);
        if (!message)
            return clean_up(killed);
        if (const auto* finish = std::get_if<Finish>(&*message))
            return clean_up(finish->mend);
        if (auto kept = remember(*message, received->datagram.descriptors); !kept)
            return clean_up(killed);
    }
}

Result<Ok> Keeper::remember(JanitorMessage& message, std::vector<UniqueFd>& descriptors)
{
    if (auto* undo = std::get_if<Undo>(&message)) {
        undo_.push_back(std::move(*undo));
        return Ok{};
    }
    if (const auto* watch = std::get_if<Watch>(&message)) {
        if (descriptors.size() != 1)
            return Error{"janitor: a process without its descriptor"};
        watched_.push_back({std::move(descriptors[0]), watch->role});
        return Ok{};
    }
    auto& keep = std::get<KeepJournal>(message);
    if (descriptors.size() != 2)
        return Error{"janitor: a journal without its descriptors"};
    journal_ = Journal{std::move(keep.task), std::move(descriptors[0]), std::move(descriptors[1]),
                       Secret::copy_of(keep.key_seed)};
    wipe(keep.key_seed);
    return Ok{};
}

void Keeper::kill(Janitor::Role role) const
{
    for (const Watched& one : watched_)
        if (one.role == role)
            ::syscall(SYS_pidfd_send_signal, one.process.get(), SIGKILL, nullptr, 0);
}

bool Keeper::ended(Janitor::Role role, Clock::time_point deadline) const
{
    bool all = true;
    for (const Watched& one : watched_) {
        if (one.role != role)
            continue;
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
        pollfd process = {one.process.get(), POLLIN, 0};
        all = ::poll(&process, 1, left > 0 ? static_cast<int>(left) : 0) == 1 && all;
    }
    return all;
}

Result<Ok> Keeper::mend(Journal journal, const audit::TaskEnd& end)
{
    auto key = certs::SigningKey::from_seed(journal.key_seed.reveal());
    if (!key)
        return key.error();
    return audit::mend_journal(std::move(journal.file), std::move(journal.head), journal.task, std::move(*key), end,
                               end.cause, now_us());
}

Result<Ok> Keeper::clean_up(const std::optional<audit::TaskEnd>& end)
{
    Result<Ok> outcome = Ok{};
    kill(Janitor::Role::sandbox);
    (void)ended(Janitor::Role::sandbox, Clock::now() + sandbox_dies_within);
    (void)ended(Janitor::Role::service, Clock::now() + services_end_within);
    kill(Janitor::Role::service);
    (void)ended(Janitor::Role::service, Clock::now() + services_die_within);
    // A shared proxy that still writes will also write the end.
    const bool nobody_writes = ended(Janitor::Role::session, Clock::now() + session_ends_within);
    if (end && journal_ && nobody_writes)
        outcome = mend(std::move(*journal_), *end);
    for (auto step = undo_.rbegin(); step != undo_.rend(); ++step)
        if (auto done = carry_out(*step, removal_patience_ms); !done && outcome)
            outcome = done;
    return outcome;
}

} // namespace aduana::shim
