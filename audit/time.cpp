// SPDX-License-Identifier: Apache-2.0
// Times of records: RFC 3339 in UTC with six digits.
#include "audit/time.hpp"

#include <chrono>

namespace aduana::audit {
namespace {

using std::chrono::days;
using std::chrono::duration_cast;
using std::chrono::microseconds;
using std::chrono::sys_days;

constexpr std::string_view shape = "dddd-dd-ddTdd:dd:dd.ddddddZ";

void append_digits(std::string& out, std::uint64_t value, std::size_t width)
{
    out.append(width, '0');
    for (auto digit = out.rbegin(); width > 0; --width, ++digit, value /= 10)
        *digit = static_cast<char>('0' + value % 10);
}

unsigned number_at(std::string_view text, std::size_t at, std::size_t width)
{
    unsigned value = 0;
    for (const char digit : text.substr(at, width))
        value = value * 10 + static_cast<unsigned>(digit - '0');
    return value;
}

bool has_shape(std::string_view text)
{
    if (text.size() != shape.size())
        return false;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const bool digit = text[i] >= '0' && text[i] <= '9';
        if (shape[i] == 'd' ? !digit : text[i] != shape[i])
            return false;
    }
    return true;
}

} // namespace

void append_time(std::string& out, Micros time)
{
    const std::chrono::sys_time<microseconds> moment{microseconds(time)};
    const sys_days day = std::chrono::floor<days>(moment);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss clock(moment - day);
    append_digits(out, static_cast<std::uint64_t>(static_cast<int>(date.year())), 4);
    out += '-';
    append_digits(out, static_cast<unsigned>(date.month()), 2);
    out += '-';
    append_digits(out, static_cast<unsigned>(date.day()), 2);
    out += 'T';
    append_digits(out, static_cast<std::uint64_t>(clock.hours().count()), 2);
    out += ':';
    append_digits(out, static_cast<std::uint64_t>(clock.minutes().count()), 2);
    out += ':';
    append_digits(out, static_cast<std::uint64_t>(clock.seconds().count()), 2);
    out += '.';
    append_digits(out, static_cast<std::uint64_t>(clock.subseconds().count()), 6);
    out += 'Z';
}

std::string format_time(Micros time)
{
    std::string text;
    append_time(text, time);
    return text;
}

std::optional<Micros> parse_time(std::string_view text)
{
    if (!has_shape(text))
        return std::nullopt;
    const std::chrono::year_month_day date(std::chrono::year(static_cast<int>(number_at(text, 0, 4))),
                                           std::chrono::month(number_at(text, 5, 2)),
                                           std::chrono::day(number_at(text, 8, 2)));
    const unsigned hour = number_at(text, 11, 2);
    const unsigned minute = number_at(text, 14, 2);
    const unsigned second = number_at(text, 17, 2);
    if (!date.ok() || hour > 23 || minute > 59 || second > 59)
        return std::nullopt;
    const auto clock = std::chrono::hours(hour) + std::chrono::minutes(minute) + std::chrono::seconds(second) +
                       microseconds(number_at(text, 20, 6));
    return duration_cast<microseconds>(sys_days(date).time_since_epoch() + clock).count();
}

} // namespace aduana::audit
