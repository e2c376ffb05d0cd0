// SPDX-License-Identifier: Apache-2.0
// What every dialogue asks of an answer before it believes a word of it.
#pragma once

#include "broker/mint/dialogue.hpp"
#include "broker/mint/json.hpp"
#include "policy/https_url.hpp"

#include <span>

namespace aduana::broker {

/// In bytes, as for values of files: shorter ones cannot be told from ordinary text in a response, longer ones fit into
/// no request head.
inline constexpr std::size_t shortest_token = 8;
inline constexpr std::size_t longest_token = 8 * 1024;

/// A value, or why there is no credential.
template <class T>
using Checked = boost::system::result<T, Denied>;

/// Who is spoken to, for messages: "identity provider idp.example.com".
[[nodiscard]] std::string party(std::string_view kind, const Endpoint& endpoint);

[[nodiscard]] Denied permanent(std::string detail, std::string remedy);
[[nodiscard]] Denied transient(std::string detail, std::string remedy);

/// The only field of this (lower-case) name; unset where there is none, or more than one.
[[nodiscard]] std::optional<std::string_view> field_of(const Answer& answer, std::string_view name);

/// The issuer's clock is within 300 s of ours, where the answer tells its `Date`: beyond that no expiry is believed.
[[nodiscard]] Checked<Ok> check_clock(const Answer& answer, std::string_view party, const MintContext& context);

/// Why an answer that is no success is none: redirects are never followed, 408, 429 and 5xx may pass. `code` is the
/// issuer's error code, told only if `known` lists it: whatever else it says could be the secret that it was sent.
[[nodiscard]] Denied refusal_of(const Answer& answer, std::string_view party, std::string_view code,
                                std::span<const std::string_view> known, const MintContext& context);

/// The body: an object of JSON that was declared as such.
[[nodiscard]] Checked<Json> read_object(const Answer& answer, std::string_view party);

/// The text member `name` as a token: visible ASCII, of a length that can be injected and found again.
[[nodiscard]] Checked<Secret> read_token(const JsonValue& object, std::string_view name, std::string_view party);

/// `name` as a number of seconds, also where it is a text of digits; unset where there is none. What is zero, negative
/// or no number is refused; more than a day is a day.
[[nodiscard]] Checked<std::optional<std::chrono::seconds>> read_lifetime(const JsonValue& object, std::string_view name,
                                                                         std::string_view party);

/// What an answer with status 200 brings beside its access token, whatever else there is to say against it: the one
/// before may be worth nothing from here on.
[[nodiscard]] std::optional<Secret> refresh_token_in(const Answer& answer);

/// "2026-11-29T12:00:00Z" and "...:00.123+01:00" (RFC 3339), and an HTTP date (RFC 9110 section 5.6.7, the first form).
[[nodiscard]] std::optional<std::chrono::system_clock::time_point> read_time(std::string_view text);
[[nodiscard]] std::optional<std::chrono::system_clock::time_point> read_http_date(std::string_view text);

/// From `now` to `end`, an absolute time of the issuer's; what has passed is refused; more than a day is a day.
[[nodiscard]] Checked<std::chrono::seconds> lifetime_until(std::optional<std::chrono::system_clock::time_point> end,
                                                           std::string_view party, const MintContext& context);

[[noreturn]] void throw_exception_from_error(const Denied& denied, const boost::source_location&);

} // namespace aduana::broker
