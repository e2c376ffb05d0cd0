// SPDX-License-Identifier: Apache-2.0
// Each half of the file: the length of the box in two bytes, then the box.
#include "broker/shell/token_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace aduana::broker {
namespace {

constexpr std::size_t half = 16 * std::size_t{1024};
constexpr std::size_t length_size = 2;

Error failed(const char* what)
{
    return {std::string("its refresh token cannot be ") + what + ": " + std::generic_category().message(errno),
            "is there room on the disk of the state folder?"};
}

/// A length that cannot be is taken for a damaged box.
std::string box_in(std::string_view bytes)
{
    if (bytes.size() < length_size)
        return {};
    const auto length = std::size_t{static_cast<unsigned char>(bytes[0])} << 8U | static_cast<unsigned char>(bytes[1]);
    return std::string(bytes.substr(length_size, length));
}

} // namespace

Result<bool> TokenFile::lock()
{
    if (::flock(file_.get(), LOCK_EX | LOCK_NB) == 0)
        return true;
    if (errno == EWOULDBLOCK)
        return false;
    return failed("locked");
}

void TokenFile::unlock() noexcept
{
    (void)::flock(file_.get(), LOCK_UN);
}

Result<std::array<std::string, 2>> TokenFile::read()
{
    std::array<std::string, 2> boxes;
    std::string bytes(half, '\0');
    for (std::size_t slot = 0; slot < boxes.size(); ++slot) {
        const auto got = ::pread(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(slot * half));
        if (got < 0)
            return failed("read");
        boxes[slot] = box_in(std::string_view(bytes).substr(0, static_cast<std::size_t>(got)));
    }
    return boxes;
}

Result<Ok> TokenFile::write(std::size_t slot, std::string_view box)
{
    if (box.size() > half - length_size)
        return Error{"its refresh token is longer than 16000 bytes", "is that a token?"};
    std::string bytes{static_cast<char>(box.size() >> 8U), static_cast<char>(box.size())};
    bytes += box;
    const auto put = ::pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(slot * half));
    if (put != static_cast<ssize_t>(bytes.size()) || ::fdatasync(file_.get()) != 0)
        return failed("kept");
    return Ok{};
}

Result<UniqueFd> TokenFile::share() const
{
    UniqueFd file(::fcntl(file_.get(), F_DUPFD_CLOEXEC, 0));
    if (!file)
        return failed("shared");
    return file;
}

} // namespace aduana::broker
