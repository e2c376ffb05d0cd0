// SPDX-License-Identifier: Apache-2.0
// A host in the one spelling that the rest of the code sees.
#pragma once

#include "policy/ip.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace aduana::policy {

/// A DNS name (lower case, A-labels, no trailing dot) or an IP literal. There is no other way to spell one: the
/// constructor is private and `parse` normalises or refuses.
class Host {
public:
    /// Accepts a name, an IPv4 literal, or an IPv6 literal with or without brackets. U-labels become A-labels (IDNA
    /// 2008); upper case is folded; one trailing dot is dropped. Refused: empty, longer than 253 bytes, labels over 63
    /// bytes or with characters outside [a-z0-9_-], NUL, percent signs, user information, zone ids, and numeric
    /// spellings that inet_aton would read as another address.
    [[nodiscard]] static Result<Host> parse(std::string_view text);
    [[nodiscard]] static Host of(const Ip& ip);

    [[nodiscard]] const std::optional<Ip>& ip() const noexcept { return ip_; }
    [[nodiscard]] bool is_name() const noexcept { return !ip_; }
    /// Without brackets.
    [[nodiscard]] const std::string& text() const noexcept { return text_; }
    /// With brackets for IPv6: what goes before ":port" (RFC 3986 section 3.2.2).
    [[nodiscard]] std::string uri_host() const;

    friend bool operator==(const Host&, const Host&) = default;

private:
    std::string text_;
    std::optional<Ip> ip_;
};

/// What "*" stands for: a name of two labels or more, or an address that is global.
[[nodiscard]] bool is_public(const Host& host);

/// "host", "host:port", "[v6]:port" as in an authority without user information (RFC 9110 section 7.2).
struct Authority {
    Host host;
    std::optional<std::uint16_t> port;
};
[[nodiscard]] Result<Authority> parse_authority(std::string_view text);

/// A host of a rule: exact name, ".suffix" (any subdomain, never the name itself), IP literal, or "*".
class HostPattern {
public:
    enum class Kind : std::uint8_t { exact, suffix, any };

    /// The error's message says what to write instead ("*.example.com" -> ".example.com").
    [[nodiscard]] static Result<HostPattern> parse(std::string_view text);
    [[nodiscard]] bool matches(const Host& host) const;
    [[nodiscard]] Kind kind() const noexcept { return kind_; }
    /// As written, normalised.
    [[nodiscard]] const std::string& text() const noexcept { return text_; }
    /// Every host that `inner` matches is matched by this pattern too.
    [[nodiscard]] bool covers(const HostPattern& inner) const;

    friend bool operator==(const HostPattern&, const HostPattern&) = default;

private:
    Kind kind_ = Kind::exact;
    std::string text_;
    std::optional<Ip> ip_;
};

} // namespace aduana::policy
