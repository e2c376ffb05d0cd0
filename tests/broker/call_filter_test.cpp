// SPDX-License-Identifier: Apache-2.0
// The filter of system calls, each tried in a child of its own.
#include "broker/shell/call_filter.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <functional>

namespace aduana::broker {
namespace {

#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

/// What a child's call gave behind the filter: its errno (0: it worked), or 128 + the signal that ended the child.
int behind_filter(const std::function<long()>& call)
{
    const pid_t child = ::fork();
    if (child == 0) {
        if (!filter_calls())
            ::_exit(100);
        ::_exit(call() == -1 ? errno : 0);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

struct Case {
    const char* sentence;
    std::function<long()> call;
    int expected;
};

TEST(CallFilter, EndsAProcessThatDoesWhatOnlyAnIntruderDoes)
{
    if (sanitized)
        GTEST_SKIP() << "there is no filter under AddressSanitizer";
    const std::vector<Case> cases = {
        {"connecting needs a socket", [] { return ::socket(AF_INET, SOCK_STREAM, 0); }, 128 + SIGSYS},
        {"a Unix socket too", [] { return ::socket(AF_UNIX, SOCK_STREAM, 0); }, 128 + SIGSYS},
        {"another program", [] { return ::execl("/bin/true", "true", nullptr); }, 128 + SIGSYS},
        {"another process", [] { return ::fork(); }, 128 + SIGSYS},
    };
    for (const auto& test : cases) {
        SCOPED_TRACE(test.sentence);
        EXPECT_EQ(behind_filter(test.call), test.expected);
    }
}

TEST(CallFilter, RefusesWhatIsNotOnTheList)
{
    if (sanitized)
        GTEST_SKIP() << "there is no filter under AddressSanitizer";
    const auto map = [](int protection) {
        return ::mmap(nullptr, 4096, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1L : 0L;
    };
    static utsname names;
    const std::vector<Case> cases = {
        {"opening a file", [] { return ::access("/etc/passwd", R_OK); }, EPERM},
        {"asking for the host's name", [] { return ::uname(&names); }, EPERM},
        {"writing to stdout", [] { return ::write(STDOUT_FILENO, "", 0); }, EPERM},
        {"writing to stderr is possible", [] { return ::write(STDERR_FILENO, "", 0); }, 0},
        {"memory that can be executed", [&] { return map(PROT_READ | PROT_EXEC); }, EPERM},
        {"plain memory is possible", [&] { return map(PROT_READ | PROT_WRITE); }, 0},
        {"a signal to another process", [] { return ::kill(1, 0); }, EPERM},
    };
    for (const auto& test : cases) {
        SCOPED_TRACE(test.sentence);
        EXPECT_EQ(behind_filter(test.call), test.expected);
    }
}

TEST(CallFilter, AbortStillEndsTheProcessAsAnAbort)
{
    EXPECT_EQ(behind_filter([]() -> long { std::abort(); }), 128 + SIGABRT);
}

} // namespace
} // namespace aduana::broker
