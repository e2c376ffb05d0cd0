// SPDX-License-Identifier: Apache-2.0
// Forks the janitor and talks to it.
#include "sandbox-shim/janitor/janitor.hpp"

#include "channel/datagram.hpp"
#include "channel/patient.hpp"
#include "policy/base/secret.hpp"
#include "sandbox-shim/janitor/keeper.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace aduana::shim {

namespace {

constexpr std::string_view done = "ok";

/// It outlives those who may see the caller's variables, and some credentials are given in one.
void forget_environment() noexcept
{
    for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable)
        wipe(*variable, std::strlen(*variable));
    ::clearenv();
}

/// Nothing that ends the others may end it: no terminal, no signals, no open files of theirs.
void stand_alone(int socket)
{
    forget_environment();
    ::setsid();
    for (int signal = 1; signal < NSIG; ++signal)
        ::signal(signal, SIG_IGN);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    if (socket > 3)
        ::close_range(3, static_cast<unsigned>(socket) - 1, 0);
    ::close_range(static_cast<unsigned>(socket) + 1, ~0U, 0);
    const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int stream = 0; stream < 3 && null >= 0; ++stream)
        ::dup2(null, stream);
    if (::chdir("/") != 0)
        return;
    ::prctl(PR_SET_NAME, "aduana-janitor");
    forbid_dumps();
}

[[noreturn]] void run_keeper(int socket)
{
    stand_alone(socket);
    Keeper keeper;
    const auto outcome = keeper.serve(socket);
    (void)send_datagram(socket, outcome ? std::string(done) : describe(outcome.error()), {});
    ::_exit(outcome ? 0 : 1);
}

Result<Ok> tell(int socket, const JanitorMessage& message, const std::vector<int>& descriptors)
{
    const wire::Writer frame = encode(message);
    if (auto sent = send_datagram(socket, frame.frame(), descriptors); !sent)
        return Error{"the janitor is gone: " + sent.error().message, "run again; nothing may run without it"};
    return Ok{};
}

} // namespace

Result<Janitor> start_janitor()
{
    auto pair = datagram_pair();
    if (!pair)
        return pair.error();
    // Signals wait until the child ignores them: one that comes right after the fork must not end it.
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, &before);
    const pid_t process = ::fork();
    if (process == 0) {
        pair->first.reset();
        run_keeper(pair->second.get());
    }
    const int reason = errno;
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    if (process < 0)
        return Error{std::string("cannot start the janitor: ") + std::strerror(reason),
                     "raise the limit of processes of this user"};
    return Janitor(std::move(pair->first), process);
}

Result<Ok> Janitor::watch(int fd, Role role)
{
    return tell(socket_.get(), Watch{role}, {fd});
}

Result<Ok> Janitor::undo(const Undo& step)
{
    return tell(socket_.get(), step, {});
}

Result<Ok> Janitor::keep_journal(const JournalToKeep& journal)
{
    KeepJournal message{journal.task, std::string(journal.key_seed)};
    const JanitorMessage wrapped = std::move(message);
    auto told = tell(socket_.get(), wrapped, {journal.file, journal.head});
    return told;
}

Result<Ok> Janitor::finish(const std::optional<audit::TaskEnd>& mend)
{
    static constexpr std::chrono::seconds patience{5};
    if (auto told = tell(socket_.get(), Finish{mend}, {}); !told)
        return told;
    auto reply = receive_by(std::chrono::steady_clock::now() + patience, socket_.get(), "the janitor");
    socket_.reset();
    if (!reply)
        return reply.error();
    ::waitpid(process_, nullptr, 0);
    if (reply->bytes != done)
        return Error{"not everything could be cleaned up: " + reply->bytes, ""};
    return Ok{};
}

} // namespace aduana::shim
