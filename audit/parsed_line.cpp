// SPDX-License-Identifier: Apache-2.0
// One line of a journal, read back.
#include "audit/parsed_line.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>

namespace aduana::audit {
namespace {

constexpr std::uint64_t format_version = 1;

bool is_hash(std::string_view text)
{
    return text.size() == 64 && std::all_of(text.begin(), text.end(),
                                            [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

} // namespace

std::string ParsedLine::text(std::string_view name) const
{
    const auto* value = members.if_contains(name);
    const auto* string = value ? value->if_string() : nullptr;
    return string ? std::string(*string) : std::string();
}

std::uint64_t ParsedLine::number(std::string_view name) const
{
    const auto* value = members.if_contains(name);
    if (value && value->is_uint64())
        return value->get_uint64();
    return value && value->is_int64() && value->get_int64() > 0 ? static_cast<std::uint64_t>(value->get_int64()) : 0;
}

Result<ParsedLine> parse_line(std::string_view line)
{
    boost::json::error_code error;
    auto value = boost::json::parse(line, error);
    if (error || !value.is_object())
        return Error{"is not a JSON object"};
    ParsedLine parsed;
    parsed.members = std::move(value.get_object());
    if (parsed.number("v") != format_version)
        return Error{"is not of version 1"};
    parsed.seq = parsed.number("seq");
    parsed.time = parsed.text("time");
    parsed.event = parsed.text("event");
    parsed.task = parsed.text("task");
    parsed.prev = parsed.text("prev");
    if (parsed.seq == 0)
        return Error{"has no \"seq\""};
    if (parsed.time.empty())
        return Error{"has no \"time\""};
    if (parsed.event.empty())
        return Error{"has no \"event\""};
    if (parsed.task.empty())
        return Error{"has no \"task\""};
    if (!is_hash(parsed.prev))
        return Error{"has no hash of the line before it in \"prev\""};
    return parsed;
}

} // namespace aduana::audit
