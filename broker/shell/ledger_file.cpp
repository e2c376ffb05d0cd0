// SPDX-License-Identifier: Apache-2.0
// Each box after its length, four bytes with the lowest first.
#include "broker/shell/ledger_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace aduana::broker {
namespace {

constexpr std::size_t length_size = 4;
/// Longer ones were not written by a broker.
constexpr off_t longest_file = 64 * 1024 * 1024;

Error failed(const char* what)
{
    return {std::string("the ledger of what is to be taken back cannot be ") + what + ": " +
                std::generic_category().message(errno),
            "is there room on the disk of the state folder?"};
}

void put(std::string& out, std::string_view box)
{
    for (unsigned shift = 0; shift < 8 * length_size; shift += 8)
        out += static_cast<char>(box.size() >> shift);
    out += box;
}

std::size_t length_at(std::string_view bytes)
{
    std::size_t length = 0;
    for (std::size_t i = 0; i < length_size; ++i)
        length |= std::size_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    return length;
}

std::vector<std::string> boxes_in(std::string_view bytes)
{
    std::vector<std::string> boxes;
    while (bytes.size() >= length_size) {
        const auto length = length_at(bytes);
        bytes.remove_prefix(length_size);
        if (length > bytes.size())
            break;
        boxes.emplace_back(bytes.substr(0, length));
        bytes.remove_prefix(length);
    }
    return boxes;
}

} // namespace

Result<std::vector<std::string>> LedgerOnDisk::read()
{
    struct stat about {};
    if (::fstat(file_.get(), &about) != 0 || about.st_size > longest_file)
        return failed("read");
    std::string bytes(static_cast<std::size_t>(about.st_size), '\0');
    if (::pread(file_.get(), bytes.data(), bytes.size(), 0) != about.st_size)
        return failed("read");
    return boxes_in(bytes);
}

Result<Ok> LedgerOnDisk::append(std::string_view box)
{
    std::string bytes;
    put(bytes, box);
    return write(bytes, size_);
}

Result<Ok> LedgerOnDisk::replace(const std::vector<std::string>& boxes)
{
    std::string bytes;
    for (const auto& box : boxes)
        put(bytes, box);
    if (auto written = write(bytes, 0); !written)
        return written;
    if (::ftruncate(file_.get(), static_cast<off_t>(bytes.size())) != 0)
        return failed("cut");
    size_ = bytes.size();
    return Ok{};
}

Result<Ok> LedgerOnDisk::write(const std::string& bytes, std::uint64_t at)
{
    const auto put = ::pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (put != static_cast<ssize_t>(bytes.size()) || ::fdatasync(file_.get()) != 0)
        return failed("written");
    size_ = at + bytes.size();
    return Ok{};
}

} // namespace aduana::broker
