// SPDX-License-Identifier: Apache-2.0
// The checks that all dialogues share. Nothing that an issuer wrote is ever quoted.
#include "broker/mint/answer.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace aduana::broker {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::seconds most_skew = 300s;
constexpr std::chrono::seconds longest_lifetime = 24h;
constexpr std::chrono::seconds longest_wait = 1h;
constexpr std::size_t longest_body = 64 * std::size_t{1024};

std::optional<std::int64_t> digits_of(std::string_view text)
{
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    if (text.empty() || text.front() < '0' || text.front() > '9' || !whole)
        return std::nullopt;
    return number;
}

// Seconds, or an HTTP date (RFC 9110 section 10.2.3).
std::optional<std::chrono::seconds> retry_after(const Answer& answer, const MintContext& context)
{
    const auto text = field_of(answer, "retry-after");
    if (!text)
        return std::nullopt;
    if (const auto seconds = digits_of(*text))
        return std::min(std::chrono::seconds(*seconds), longest_wait);
    const auto date = read_http_date(*text);
    if (!date || *date <= context.now)
        return std::nullopt;
    return std::min(std::chrono::ceil<std::chrono::seconds>(*date - context.now), longest_wait);
}

bool may_pass(std::uint16_t status)
{
    return status == 408 || status == 425 || status == 429 || status >= 500;
}

bool is_json(std::string_view type)
{
    const auto essence = type.substr(0, type.find(';'));
    const auto end = essence.find_last_not_of(" \t");
    return std::ranges::equal(essence.substr(0, end + 1), std::string_view("application/json"), [](char a, char b) {
        return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
    });
}

// A fixed-width number at the front of `text`, which it is taken from.
std::optional<unsigned> take_digits(std::string_view& text, std::size_t count)
{
    if (text.size() < count || !std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(count),
                                            [](char c) { return c >= '0' && c <= '9'; }))
        return std::nullopt;
    unsigned number = 0;
    std::from_chars(text.data(), text.data() + count, number);
    text.remove_prefix(count);
    return number;
}

bool take(std::string_view& text, std::string_view expected)
{
    const bool there = text.starts_with(expected);
    if (there)
        text.remove_prefix(expected.size());
    return there;
}

std::optional<std::chrono::system_clock::time_point> time_of(std::optional<unsigned> year, unsigned month,
                                                             std::optional<unsigned> day)
{
    if (!year || !day)
        return std::nullopt;
    // What the clock cannot hold (its nanoseconds end in 2262) is no time of an issuer either.
    if (*year < 1970 || *year > 2200)
        return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year)), std::chrono::month(month),
                                           std::chrono::day(*day)};
    if (!date.ok())
        return std::nullopt;
    return std::chrono::sys_days(date);
}

// "hh:mm:ss"; a leap second is the second before it.
std::optional<std::chrono::seconds> take_clock(std::string_view& text)
{
    const auto hours = take_digits(text, 2);
    const bool first = take(text, ":");
    const auto minutes = take_digits(text, 2);
    const bool second = take(text, ":");
    const auto seconds = take_digits(text, 2);
    if (!first || !second || hours.value_or(24) > 23 || minutes.value_or(60) > 59 || seconds.value_or(61) > 60)
        return std::nullopt;
    return std::chrono::hours(hours.value_or(0)) + std::chrono::minutes(minutes.value_or(0)) +
           std::chrono::seconds(std::min(seconds.value_or(0), 59U));
}

void skip_fraction(std::string_view& text)
{
    if (!text.starts_with('.') || text.find_first_of("0123456789") != 1)
        return;
    text.remove_prefix(std::min(text.find_first_not_of("0123456789", 1), text.size()));
}

// "Z" or "+hh:mm", to the end of the text.
std::optional<std::chrono::minutes> take_offset(std::string_view text)
{
    if (text == "Z" || text == "z")
        return 0min;
    const bool east = text.starts_with('+');
    if (!east && !text.starts_with('-'))
        return std::nullopt;
    text.remove_prefix(1);
    const auto hours = take_digits(text, 2);
    const bool colon = take(text, ":");
    const auto minutes = take_digits(text, 2);
    if (!colon || !text.empty() || hours.value_or(24) > 23 || minutes.value_or(60) > 59)
        return std::nullopt;
    const auto offset = std::chrono::hours(hours.value_or(0)) + std::chrono::minutes(minutes.value_or(0));
    return east ? offset : -offset;
}

} // namespace

std::string party(std::string_view kind, const Endpoint& endpoint)
{
    return std::string(kind) + " " + endpoint.host.text();
}

Denied permanent(std::string detail, std::string remedy)
{
    return {Denied::Kind::permanent, std::move(detail), std::move(remedy), {}};
}

Denied transient(std::string detail, std::string remedy)
{
    return {Denied::Kind::transient, std::move(detail), std::move(remedy), {}};
}

std::optional<std::string_view> field_of(const Answer& answer, std::string_view name)
{
    const auto first = std::ranges::find(answer.fields, name, &AnswerField::name);
    if (first == answer.fields.end() || std::ranges::count(answer.fields, name, &AnswerField::name) > 1)
        return std::nullopt;
    return first->value;
}

Checked<Ok> check_clock(const Answer& answer, std::string_view party, const MintContext& context)
{
    const auto text = field_of(answer, "date");
    const auto date = text ? read_http_date(*text) : std::nullopt;
    if (!date)
        return Ok{};
    const auto skew = std::chrono::abs(*date - context.now);
    if (skew <= most_skew)
        return Ok{};
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(skew).count();
    return transient("the clock of the " + std::string(party) + " is " + std::to_string(seconds) +
                         " s away from this machine's: no expiry can be believed",
                     "set the clock of this machine (NTP)");
}

Denied refusal_of(const Answer& answer, std::string_view party, std::string_view code,
                  std::span<const std::string_view> known, const MintContext& context)
{
    const auto subject = "the " + std::string(party);
    const auto status = " (status " + std::to_string(answer.status) + ")";
    if (answer.status >= 300 && answer.status < 400)
        return permanent(subject + " answers with a redirect" + status + ", which is never followed",
                         "write the URL that it leads to, if it is the right one");
    const bool named = std::ranges::find(known, code) != known.end();
    auto detail = subject + " refuses" + (named ? ": " + std::string(code) : std::string()) + status;
    if (!may_pass(answer.status) || code == "invalid_client" || code == "invalid_grant")
        return permanent(std::move(detail), "check the `source` of this credential, and the issuer's own log");
    auto denied = transient(std::move(detail), "it is asked again later");
    denied.retry_after = retry_after(answer, context);
    return denied;
}

Checked<Json> read_object(const Answer& answer, std::string_view party)
{
    const auto subject = "the " + std::string(party);
    const std::string remedy = "is the URL the right one?";
    if (answer.body.size() > longest_body)
        return permanent(subject + " answers with more than 64 KiB", remedy);
    const auto type = field_of(answer, "content-type");
    if (!type || !is_json(*type))
        return permanent(subject + " answers with something that is not declared as JSON", remedy);
    auto json = Json::parse(answer.body.reveal());
    if (!json || !json->root().is_object())
        return permanent(subject + " answers with something that is no JSON object", remedy);
    return std::move(*json);
}

Checked<Secret> read_token(const JsonValue& object, std::string_view name, std::string_view party)
{
    const auto token = object[name].text();
    const auto subject = "the " + std::string(party) + ": its `" + std::string(name) + "` ";
    const std::string remedy = "is the URL the right one?";
    if (!token)
        return permanent(subject + "is missing or no text", remedy);
    if (token->size() < shortest_token || token->size() > longest_token)
        return permanent(subject + "has " + std::to_string(token->size()) + " bytes; 8 to 8192 are possible", remedy);
    // A line end would split the request that it is put into.
    if (!std::ranges::all_of(*token, [](char c) { return c >= 0x21 && c <= 0x7e; }))
        return permanent(subject + "holds a space, a control character or a byte outside ASCII", remedy);
    return Secret::copy_of(*token);
}

Checked<std::optional<std::chrono::seconds>> read_lifetime(const JsonValue& object, std::string_view name,
                                                           std::string_view party)
{
    const auto value = object[name];
    if (value.is_null())
        return std::optional<std::chrono::seconds>();
    const auto text = value.text();
    const auto seconds = text ? digits_of(*text) : value.number();
    if (!seconds || *seconds <= 0)
        return permanent("the " + std::string(party) + ": its `" + std::string(name) +
                             "` is no number of seconds to come",
                         "the issuer must say how long the credential lasts, or nothing");
    return std::optional(std::min(std::chrono::seconds(*seconds), longest_lifetime));
}

std::optional<std::chrono::system_clock::time_point> read_time(std::string_view text)
{
    const auto year = take_digits(text, 4);
    const bool first = take(text, "-");
    const auto month = take_digits(text, 2);
    const bool second = take(text, "-");
    const auto day = time_of(year, month.value_or(0), take_digits(text, 2));
    if (!first || !second || !day || !(take(text, "T") || take(text, "t")))
        return std::nullopt;
    const auto clock = take_clock(text);
    skip_fraction(text);
    const auto offset = take_offset(text);
    if (!clock || !offset)
        return std::nullopt;
    return *day + *clock - *offset;
}

std::optional<std::chrono::system_clock::time_point> read_http_date(std::string_view text)
{
    constexpr std::string_view months = "JanFebMarAprMayJunJulAugSepOctNovDec";
    if (text.size() != 29 || text.substr(3, 2) != ", ")
        return std::nullopt;
    text.remove_prefix(5);
    const auto day = take_digits(text, 2);
    const auto month = months.find(text.substr(1, 3));
    const bool named = text.starts_with(' ') && text[4] == ' ' && month != months.npos && month % 3 == 0;
    text.remove_prefix(5);
    const auto date = time_of(take_digits(text, 4), static_cast<unsigned>(month / 3 + 1), day);
    const bool space = take(text, " ");
    const auto clock = take_clock(text);
    if (!named || !date || !space || !clock || text != " GMT")
        return std::nullopt;
    return *date + *clock;
}

Checked<std::chrono::seconds> lifetime_until(std::optional<std::chrono::system_clock::time_point> end,
                                             std::string_view party, const MintContext& context)
{
    if (!end || *end <= context.now)
        return permanent("the " + std::string(party) +
                             " says that its credential has expired already, or no time at all",
                         "set the clock of this machine (NTP); is the URL the right one?");
    return std::min(std::chrono::floor<std::chrono::seconds>(*end - context.now), longest_lifetime);
}

void throw_exception_from_error(const Denied& denied, const boost::source_location&)
{
    throw std::logic_error(denied.detail);
}

std::optional<Secret> refresh_token_in(const Answer& answer)
{
    const auto object = answer.status == 200 ? read_object(answer, "") : Checked<Json>(Denied{});
    if (!object)
        return std::nullopt;
    auto token = read_token(object->root(), "refresh_token", "");
    return token ? std::optional(std::move(*token)) : std::nullopt;
}

} // namespace aduana::broker
