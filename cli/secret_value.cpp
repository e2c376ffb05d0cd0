// SPDX-License-Identifier: Apache-2.0
// Checks of `aduana secret put`.
#include "cli/secret_value.hpp"

#include <algorithm>
#include <ctime>

namespace aduana::cli {

namespace {

constexpr std::size_t shortest_value = 8;
constexpr std::string_view pem_begin = "-----BEGIN ";

/// The one that editors and `echo` add, which is taken off when the value is used.
std::string_view without_line_end(std::string_view value)
{
    if (value.ends_with('\n'))
        value.remove_suffix(1);
    if (value.ends_with('\r'))
        value.remove_suffix(1);
    return value;
}

bool is_text(std::string_view value)
{
    return std::ranges::all_of(value, [](char c) { return (c >= ' ' && c <= '~') || (c >= '\t' && c <= '\r'); });
}

bool may_have_lines(std::string_view value)
{
    const auto start = value.find_first_not_of(" \t\r\n");
    const bool json = start != std::string_view::npos && value[start] == '{';
    return json || value.find(pem_begin) != std::string_view::npos || !is_text(value);
}

} // namespace

Result<Ok> check_secret_value(std::string_view value)
{
    const auto bare = without_line_end(value);
    if (bare.size() < shortest_value)
        return Error{"the value is too short to be found in answers: at least 8 bytes are needed",
                     "use a longer secret"};
    if (bare.find_first_of("\r\n") != std::string_view::npos && !may_have_lines(bare))
        return Error{"the value has a line break inside",
                     "store the bare value on one line; only keys and certificates in PEM, and JSON, have several"};
    return Ok{};
}

Result<std::chrono::sys_seconds> read_not_after(const std::string& text, std::chrono::sys_seconds now)
{
    std::tm parts{};
    const char* end = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
    if (end == nullptr || *end != '\0') {
        parts = {};
        end = ::strptime(text.c_str(), "%Y-%m-%d", &parts);
    }
    const auto seconds = end != nullptr && *end == '\0' ? ::timegm(&parts) : 0;
    if (seconds <= 0)
        return Error{"--not-after " + text + " is not a time", "write 2027-01-31 or 2027-01-31T12:00:00Z (UTC)"};
    const std::chrono::sys_seconds moment{std::chrono::seconds(seconds)};
    if (moment <= now)
        return Error{"--not-after " + text + " is over: the secret could never be used", "write a later time (UTC)"};
    return moment;
}

} // namespace aduana::cli
