// SPDX-License-Identifier: Apache-2.0
// What may be the command's stdin.
#include "cli/standard_streams.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace aduana::cli {
namespace {

/// Puts `fd` in the place of stdin for the call.
Result<Ok> with_stdin(int fd)
{
    const int saved = ::dup(STDIN_FILENO);
    ::dup2(fd, STDIN_FILENO);
    ::close(fd);
    auto checked = check_standard_streams();
    ::dup2(saved, STDIN_FILENO);
    ::close(saved);
    return checked;
}

TEST(StandardStreams, AFolderLeadsToTheFilesAroundIt)
{
    const auto checked = with_stdin(::open("/", O_RDONLY | O_DIRECTORY));
    ASSERT_FALSE(checked);
    EXPECT_EQ(describe(checked.error()), "stdin is a folder, and leads the command to the files around it; redirect it "
                                         "from or to a file or a pipe");
}

TEST(StandardStreams, ANetworkSocketLeadsPastTheProxy)
{
    for (const int domain : {AF_INET, AF_INET6}) {
        const auto checked = with_stdin(::socket(domain, SOCK_STREAM, 0));
        ASSERT_FALSE(checked) << domain;
        EXPECT_EQ(checked.error().message, "stdin is a network socket, a way around the proxy");
    }
}

TEST(StandardStreams, PipesFilesDevicesAndSocketPairsArePassedOn)
{
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    EXPECT_TRUE(with_stdin(ends[0]));
    ::close(ends[1]);
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    EXPECT_TRUE(with_stdin(ends[0]));
    ::close(ends[1]);
    EXPECT_TRUE(with_stdin(::open("/dev/null", O_RDONLY)));
    EXPECT_TRUE(with_stdin(::open("/etc/hostname", O_RDONLY)));
}

} // namespace
} // namespace aduana::cli
