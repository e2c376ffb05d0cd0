// SPDX-License-Identifier: Apache-2.0
// Limits of rules as people write them, with errors that teach the spelling and the range.
#include "policy/rule_limits.hpp"

#include "policy/limits.hpp"
#include "policy/quote.hpp"

#include <array>

namespace aduana::policy {
namespace {

constexpr std::uint64_t most_requests = 1'000'000;
constexpr std::uint64_t most_bytes = 1ULL << 50;

/// One span that a rate can be given for.
struct Span {
    std::string_view name;
    std::chrono::seconds length;
};
constexpr std::array spans{Span{"s", std::chrono::seconds(1)}, Span{"min", std::chrono::minutes(1)},
                           Span{"h", std::chrono::hours(1)}};

Result<std::uint64_t> parse_milliseconds(std::string_view text)
{
    const auto duration = parse_duration(text);
    if (!duration)
        return duration.error();
    return static_cast<std::uint64_t>(duration->count());
}

/// A limit that is one number: how it is read, and in which range it makes sense.
struct NumberKind {
    std::string_view key;
    Result<std::uint64_t> (*parse)(std::string_view);
    std::uint64_t lowest;
    std::uint64_t highest;
    std::string_view range;
    std::string_view example;
    void (*set)(RuleLimits&, std::uint64_t);
};

constexpr std::array kinds{
    NumberKind{"upload", parse_size, 1, most_bytes, "1B to 1PiB", "1MiB",
               [](RuleLimits& limits, std::uint64_t value) { limits.upload = value; }},
    NumberKind{"download", parse_size, 1, most_bytes, "1B to 1PiB", "100MiB",
               [](RuleLimits& limits, std::uint64_t value) { limits.download = value; }},
    NumberKind{"duration", parse_milliseconds, 100, 2'592'000'000, "100ms to 30d", "10m",
               [](RuleLimits& limits, std::uint64_t value) { limits.duration = std::chrono::milliseconds(value); }},
    NumberKind{"connections", parse_count, 1, 65535, "1 to 65535", "16",
               [](RuleLimits& limits, std::uint64_t value) { limits.connections = static_cast<std::uint32_t>(value); }},
    NumberKind{"idle", parse_milliseconds, 100, 2'592'000'000, "100ms to 30d", "10m",
               [](RuleLimits& limits, std::uint64_t value) { limits.idle = std::chrono::milliseconds(value); }},
};

Error of_limit(std::string_view key, const Error& error)
{
    return Error{"limit " + std::string(key) + ": " + error.message, error.remedy};
}

Error out_of_range(std::string_view value, std::string_view range, std::string_view example)
{
    return Error{quoted(value) + " is out of range",
                 "write a value from " + std::string(range) + ", such as " + std::string(example)};
}

} // namespace

Result<Rate> parse_rate(std::string_view text)
{
    const auto slash = std::min(text.find('/'), text.size());
    const auto count = parse_count(text.substr(0, slash));
    const auto unit = text.substr(std::min(slash + 1, text.size()));
    for (const Span& span : spans) {
        if (!count || span.name != unit)
            continue;
        if (*count < 1 || *count > most_requests)
            return out_of_range(text, "1/h to 1000000/s", "600/min");
        return Rate{static_cast<std::uint32_t>(*count), span.length};
    }
    return Error{quoted(text) + " is not a rate", "write a whole number and a span (s, min, h), such as 600/min"};
}

Result<Ok> set_rule_limit(RuleLimits& limits, std::string_view key, std::string_view value)
{
    if (key == "requests") {
        const auto rate = parse_rate(value);
        if (!rate)
            return of_limit(key, rate.error());
        limits.requests = *rate;
        return Ok{};
    }
    for (const NumberKind& kind : kinds) {
        if (kind.key != key)
            continue;
        const auto number = kind.parse(value);
        if (!number)
            return of_limit(key, number.error());
        if (*number < kind.lowest || *number > kind.highest)
            return of_limit(key, out_of_range(value, kind.range, kind.example));
        kind.set(limits, *number);
        return Ok{};
    }
    return Error{"there is no limit named " + quoted(key),
                 "the limits of a rule are requests, upload, download, duration, connections and idle"};
}

} // namespace aduana::policy
