// SPDX-License-Identifier: Apache-2.0
// Frames: little-endian numbers and counted bytes, read with a bound before every step.
#include "policy/base/wire.hpp"

#include "policy/base/secret.hpp"

#include <algorithm>

namespace aduana::wire {
namespace {

constexpr std::size_t header_size = 1 + 1 + 8;
/// More than the small-string buffer of std::string: a moved Writer leaves no bytes behind.
constexpr std::size_t first_capacity = 512;

template <class Unsigned>
Unsigned from_little_endian(std::string_view bytes)
{
    Unsigned value = 0;
    for (std::size_t i = bytes.size(); i > 0; --i)
        value = static_cast<Unsigned>((value << 8) | static_cast<std::uint8_t>(bytes[i - 1]));
    return value;
}

} // namespace

Writer::Writer(std::uint8_t type, std::uint64_t request)
{
    buffer_.reserve(first_capacity);
    u8(version).u8(type).u64(request);
}

Writer::~Writer()
{
    wipe(buffer_);
}

Writer& Writer::append(std::string_view bytes)
{
    if (oversize_ || bytes.size() > max_frame - buffer_.size()) {
        oversize_ = true;
        return *this;
    }
    if (buffer_.capacity() - buffer_.size() < bytes.size()) {
        // std::string would free the outgrown buffer with the secrets still in it.
        std::string larger;
        larger.reserve(std::min(max_frame, std::max(2 * buffer_.capacity(), buffer_.size() + bytes.size())));
        larger.append(buffer_);
        wipe(buffer_);
        buffer_.swap(larger);
    }
    buffer_.append(bytes);
    return *this;
}

Writer& Writer::number(std::uint64_t value, std::size_t size)
{
    char bytes[8];
    for (std::size_t i = 0; i < size; ++i)
        bytes[i] = static_cast<char>(value >> (8 * i));
    return append({bytes, size});
}

Writer& Writer::u8(std::uint8_t value)
{
    return number(value, 1);
}

Writer& Writer::u32(std::uint32_t value)
{
    return number(value, 4);
}

Writer& Writer::u64(std::uint64_t value)
{
    return number(value, 8);
}

Writer& Writer::bytes(std::string_view value)
{
    if (value.size() > max_frame)
        oversize_ = true;
    return u32(static_cast<std::uint32_t>(value.size())).append(value);
}

Writer& Writer::list(const std::vector<std::string>& values)
{
    u32(static_cast<std::uint32_t>(values.size()));
    for (const std::string& value : values)
        bytes(value);
    return *this;
}

std::string_view Writer::frame() const noexcept
{
    return oversize_ ? std::string_view{} : std::string_view{buffer_};
}

Reader::Reader(std::string_view frame) : rest_(frame)
{
    if (frame.size() > max_frame || frame.size() < header_size || u8() != version) {
        failed_ = true;
        return;
    }
    header_.type = u8();
    header_.request = u64();
}

std::string_view Reader::take(std::size_t size)
{
    if (failed_ || size > rest_.size()) {
        failed_ = true;
        return {};
    }
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
}

std::uint8_t Reader::u8()
{
    return from_little_endian<std::uint8_t>(take(1));
}

std::uint32_t Reader::u32()
{
    return from_little_endian<std::uint32_t>(take(4));
}

std::uint64_t Reader::u64()
{
    return from_little_endian<std::uint64_t>(take(8));
}

bool Reader::boolean()
{
    const std::uint8_t value = u8();
    if (value > 1)
        failed_ = true;
    return !failed_ && value == 1;
}

std::string_view Reader::bytes()
{
    return take(u32());
}

std::vector<std::string> Reader::list()
{
    // Each element has at least its length: a count that cannot be true never reserves memory.
    const std::uint32_t size = count(4);
    std::vector<std::string> values;
    values.reserve(size);
    for (std::uint32_t i = 0; i < size && !failed_; ++i)
        values.emplace_back(bytes());
    if (failed_)
        values.clear();
    return values;
}

std::uint32_t Reader::count(std::size_t min_element)
{
    const std::uint32_t size = u32();
    if (size > rest_.size() / std::max<std::size_t>(min_element, 1))
        failed_ = true;
    return failed_ ? 0 : size;
}

Result<Ok> Reader::finish() const
{
    if (failed_)
        return Error{"wire: the frame is short, too long, of another version, or holds a value out of range"};
    if (!rest_.empty())
        return Error{"wire: " + std::to_string(rest_.size()) + " bytes are left over after the last field"};
    return Ok{};
}

} // namespace aduana::wire
