// SPDX-License-Identifier: Apache-2.0
// Whole reads and writes of files, with interrupted and short calls repeated.
#include "audit/file_io.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace aduana::audit {

int write_all(int fd, std::string_view bytes)
{
    while (!bytes.empty()) {
        const ssize_t written = ::write(fd, bytes.data(), bytes.size());
        if (written > 0)
            bytes.remove_prefix(static_cast<std::size_t>(written));
        else if (written == 0 || errno != EINTR)
            return written == 0 ? EIO : errno;
    }
    return 0;
}

int write_front(int fd, std::string_view bytes)
{
    off_t offset = 0;
    while (!bytes.empty()) {
        const ssize_t written = ::pwrite(fd, bytes.data(), bytes.size(), offset);
        if (written > 0) {
            bytes.remove_prefix(static_cast<std::size_t>(written));
            offset += written;
        } else if (written == 0 || errno != EINTR)
            return written == 0 ? EIO : errno;
    }
    return 0;
}

Result<std::string> read_all(int fd)
{
    std::string bytes;
    std::array<char, 64 * 1024> chunk{};
    while (true) {
        const ssize_t size = ::pread(fd, chunk.data(), chunk.size(), static_cast<off_t>(bytes.size()));
        if (size == 0)
            return {boost::system::in_place_value, std::move(bytes)};
        if (size > 0)
            bytes.append(chunk.data(), static_cast<std::size_t>(size));
        else if (errno != EINTR)
            return Error{"the journal cannot be read: " + error_text(errno)};
    }
}

std::string error_text(int error)
{
    return std::generic_category().message(error);
}

} // namespace aduana::audit
