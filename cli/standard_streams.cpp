// SPDX-License-Identifier: Apache-2.0
// fstat(2) and SO_DOMAIN of descriptors 0 to 2.
#include "cli/standard_streams.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

namespace aduana::cli {

namespace {

constexpr std::array<const char*, 3> names{"stdin", "stdout", "stderr"};

Error refused(int stream, const std::string& what, const std::string& why)
{
    return {std::string(names[static_cast<std::size_t>(stream)]) + " is " + what + ", " + why,
            "redirect it from or to a file or a pipe"};
}

Result<Ok> check_socket(int stream)
{
    int domain = 0;
    socklen_t size = sizeof domain;
    if (::getsockopt(stream, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain == AF_UNIX)
        return Ok{};
    return refused(stream, "a network socket", "a way around the proxy");
}

Result<Ok> check(int stream)
{
    struct stat status {};
    if (::fstat(stream, &status) != 0) {
        if (errno == EBADF && ::open("/dev/null", O_RDWR) == stream)
            return Ok{};
        return Error{std::string("cannot look at ") + names[static_cast<std::size_t>(stream)] + ": " +
                         std::strerror(errno),
                     "start aduana with its three standard streams open"};
    }
    if (S_ISDIR(status.st_mode))
        return refused(stream, "a folder", "and leads the command to the files around it");
    if (S_ISBLK(status.st_mode))
        return refused(stream, "a block device", "a way around the file system");
    return S_ISSOCK(status.st_mode) ? check_socket(stream) : Result<Ok>(Ok{});
}

} // namespace

Result<Ok> check_standard_streams()
{
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (auto checked = check(stream); !checked)
            return checked;
    }
    return Ok{};
}

} // namespace aduana::cli
