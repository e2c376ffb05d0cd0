// SPDX-License-Identifier: Apache-2.0
// Named, bounded reads over wire::Reader.
#include "policy/base/fields.hpp"

#include <limits>

namespace aduana::wire {

void Fields::refuse(std::string_view field)
{
    if (bad_.empty())
        bad_ = field;
}

bool Fields::good(std::string_view field)
{
    if (reader_.failed())
        refuse(field);
    return bad_.empty();
}

std::string_view Fields::view(std::string_view field, std::size_t max_size)
{
    const auto value = reader_.bytes();
    if (value.size() > max_size)
        refuse(field);
    return good(field) ? value : std::string_view();
}

std::uint8_t Fields::u8(std::string_view field, std::uint8_t min, std::uint8_t max)
{
    const auto value = reader_.u8();
    if (value < min || value > max)
        refuse(field);
    return good(field) ? value : min;
}

std::uint16_t Fields::u16(std::string_view field)
{
    const auto value = reader_.u32();
    if (value > std::numeric_limits<std::uint16_t>::max())
        refuse(field);
    return good(field) ? static_cast<std::uint16_t>(value) : std::uint16_t{0};
}

std::uint32_t Fields::u32(std::string_view field)
{
    const auto value = reader_.u32();
    return good(field) ? value : 0;
}

std::uint64_t Fields::u64(std::string_view field)
{
    const auto value = reader_.u64();
    return good(field) ? value : 0;
}

bool Fields::boolean(std::string_view field)
{
    const auto value = reader_.boolean();
    return good(field) && value;
}

std::uint32_t Fields::count(std::string_view field, std::size_t min_element, std::uint32_t max_count)
{
    const auto value = reader_.count(min_element);
    if (value > max_count)
        refuse(field);
    return good(field) ? value : 0;
}

std::vector<std::string> Fields::list(std::string_view field, std::uint32_t max_count, std::size_t max_size)
{
    // An element is at least its own length prefix.
    const auto size = count(field, sizeof(std::uint32_t), max_count);
    std::vector<std::string> values;
    values.reserve(size);
    for (std::uint32_t i = 0; i < size; ++i)
        values.push_back(text(field, max_size));
    return values;
}

Result<Ok> Fields::finish() const
{
    const auto name = std::string(message_);
    if (!bad_.empty())
        return Error{"message " + name + ": field " + bad_ + " is cut short or out of range"};
    if (const auto rest = reader_.finish(); !rest)
        return Error{"message " + name + ": " + rest.error().message};
    return Ok{};
}

} // namespace aduana::wire
