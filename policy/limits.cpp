// SPDX-License-Identifier: Apache-2.0
// Limits as people write them, with errors that teach the spelling and the range.
#include "policy/limits.hpp"

#include "policy/quote.hpp"

#include <array>
#include <charconv>
#include <limits>
#include <span>

namespace aduana::policy {
namespace {

struct Unit {
    std::string_view name;
    std::uint64_t factor;
};

constexpr std::array size_units{
    Unit{"", 1},
    Unit{"B", 1},
    Unit{"KiB", 1ULL << 10},
    Unit{"MiB", 1ULL << 20},
    Unit{"GiB", 1ULL << 30},
    Unit{"TiB", 1ULL << 40},
    Unit{"PiB", 1ULL << 50},
    Unit{"kB", 1'000},
    Unit{"KB", 1'000},
    Unit{"MB", 1'000'000},
    Unit{"GB", 1'000'000'000},
    Unit{"TB", 1'000'000'000'000},
};

constexpr std::array duration_units{
    Unit{"ms", 1}, Unit{"s", 1'000}, Unit{"m", 60'000}, Unit{"h", 3'600'000}, Unit{"d", 86'400'000},
};

constexpr std::string_view size_remedy = "write a whole number and a unit, such as 1GiB, 512MiB or 1000MB";
constexpr std::string_view duration_remedy = "write a whole number and a unit (ms, s, m, h, d), such as 90s or 10m";

/// A decimal number at the start of `text`, which shrinks to what follows it.
std::optional<std::uint64_t> take_number(std::string_view& text)
{
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{})
        return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

Result<std::uint64_t> parse_with_unit(std::string_view text, std::span<const Unit> units, const Error& wrong)
{
    std::string_view rest = text;
    const auto number = take_number(rest);
    if (!number)
        return wrong;
    for (const Unit& unit : units) {
        if (unit.name != rest)
            continue;
        if (*number > std::numeric_limits<std::int64_t>::max() / unit.factor)
            return Error{quoted(text) + " is too large", wrong.remedy};
        return *number * unit.factor;
    }
    return wrong;
}

/// Thousandths: "2", "1.5", "0.125".
Result<std::uint64_t> parse_cpus(std::string_view text)
{
    const Error wrong{quoted(text) + " is not a number of processors",
                      "write a number with at most three decimals, such as 2 or 1.5"};
    std::string_view rest = text;
    const auto whole = take_number(rest);
    if (!whole || *whole > 1'000'000)
        return wrong;
    std::uint64_t milli = *whole * 1000;
    if (rest.empty())
        return milli;
    if (rest.front() != '.' || rest.size() < 2 || rest.size() > 4)
        return wrong;
    std::uint64_t place = 100;
    for (const char c : rest.substr(1)) {
        if (c < '0' || c > '9')
            return wrong;
        milli += place * static_cast<std::uint64_t>(c - '0');
        place /= 10;
    }
    return milli;
}

Result<std::uint64_t> parse_milliseconds(std::string_view text)
{
    return parse_with_unit(text, duration_units,
                           Error{quoted(text) + " is not a duration", std::string(duration_remedy)});
}

/// One limit: how its values are read, and in which range they make sense.
struct LimitKind {
    std::string_view key;
    Result<std::uint64_t> (*parse)(std::string_view);
    std::uint64_t lowest;
    std::uint64_t highest;
    std::string_view range;
    std::string_view example;
    void (*set)(Limits&, std::uint64_t);
};

constexpr std::array kinds{
    LimitKind{"memory", parse_size, 16ULL << 20, 1ULL << 50, "16MiB to 1PiB", "1GiB",
              [](Limits& limits, std::uint64_t value) { limits.memory = value; }},
    LimitKind{"cpus", parse_cpus, 10, 1'024'000, "0.01 to 1024", "1.5",
              [](Limits& limits, std::uint64_t value) { limits.cpus_milli = static_cast<std::uint32_t>(value); }},
    LimitKind{"processes", parse_count, 4, 4'194'304, "4 to 4194304", "256",
              [](Limits& limits, std::uint64_t value) { limits.processes = static_cast<std::uint32_t>(value); }},
    LimitKind{"disk", parse_size, 16ULL << 20, 1ULL << 50, "16MiB to 1PiB", "1GiB",
              [](Limits& limits, std::uint64_t value) { limits.disk = value; }},
    LimitKind{"time", parse_milliseconds, 100, 2'592'000'000, "100ms to 30d", "10m",
              [](Limits& limits, std::uint64_t value) { limits.time = std::chrono::milliseconds(value); }},
    LimitKind{"open_files", parse_count, 64, 1'048'576, "64 to 1048576", "4096",
              [](Limits& limits, std::uint64_t value) { limits.open_files = static_cast<std::uint32_t>(value); }},
};

template <class T>
std::optional<T> prefer(const std::optional<T>& over, const std::optional<T>& base)
{
    return over ? over : base;
}

} // namespace

Limits merge(const Limits& base, const Limits& over)
{
    return Limits{
        .memory = prefer(over.memory, base.memory),
        .cpus_milli = prefer(over.cpus_milli, base.cpus_milli),
        .processes = prefer(over.processes, base.processes),
        .disk = prefer(over.disk, base.disk),
        .time = prefer(over.time, base.time),
        .open_files = prefer(over.open_files, base.open_files),
    };
}

Result<std::uint64_t> parse_size(std::string_view text)
{
    return parse_with_unit(text, size_units, Error{quoted(text) + " is not a size", std::string(size_remedy)});
}

Result<std::uint64_t> parse_count(std::string_view text)
{
    return parse_with_unit(text, std::array{Unit{"", 1}},
                           Error{quoted(text) + " is not a whole number", "write a whole number, such as 256"});
}

Result<std::chrono::milliseconds> parse_duration(std::string_view text)
{
    const auto value = parse_milliseconds(text);
    if (!value)
        return value.error();
    return std::chrono::milliseconds(*value);
}

Result<Ok> set_limit(Limits& limits, std::string_view key, std::string_view value)
{
    for (const LimitKind& kind : kinds) {
        if (kind.key != key)
            continue;
        const auto number = kind.parse(value);
        if (!number)
            return Error{"limit " + std::string(key) + ": " + number.error().message, number.error().remedy};
        if (*number < kind.lowest || *number > kind.highest)
            return Error{"limit " + std::string(key) + ": " + quoted(value) + " is out of range",
                         "write a value from " + std::string(kind.range) + ", such as " + std::string(kind.example)};
        kind.set(limits, *number);
        return Ok{};
    }
    return Error{"there is no limit named " + quoted(key),
                 "the limits are memory, cpus, processes, disk, time and open_files"};
}

} // namespace aduana::policy
