// SPDX-License-Identifier: Apache-2.0
// IP addresses and prefixes as values.
#pragma once

#include "policy/base/result.hpp"

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace aduana::policy {

/// An IPv4 or IPv6 address in network byte order. An IPv4 address uses the first four bytes.
class Ip {
public:
    [[nodiscard]] static Ip v4(std::array<std::uint8_t, 4> bytes);
    [[nodiscard]] static Ip v6(std::array<std::uint8_t, 16> bytes);

    /// Strict: four decimal octets without leading zeros, or RFC 4291 section 2.2 text without a zone or brackets.
    [[nodiscard]] static std::optional<Ip> parse(std::string_view text);

    [[nodiscard]] bool is_v4() const noexcept { return v4_; }
    [[nodiscard]] const std::array<std::uint8_t, 16>& bytes() const noexcept { return bytes_; }
    /// RFC 5952 for IPv6, dotted decimal for IPv4.
    [[nodiscard]] std::string to_string() const;

    /// The IPv4 address inside a v4-mapped, v4-compatible, NAT64 (64:ff9b::/96), 6to4 or Teredo address; none else.
    [[nodiscard]] std::optional<Ip> embedded_v4() const;

    /// ::ffff:192.0.2.1: a second spelling of an IPv4 address, which the kernel dials as IPv4.
    [[nodiscard]] bool is_v4_mapped() const;

    friend bool operator==(const Ip&, const Ip&) = default;
    friend std::strong_ordering operator<=>(const Ip&, const Ip&) = default;

private:
    std::array<std::uint8_t, 16> bytes_{};
    bool v4_ = false;
};

/// The address that inet_aton(3) would read from an octal, hexadecimal, short or plain-number spelling ("0x7f.1",
/// "2130706433", "0177.0.0.1"): such spellings are refused, and this tells the person what they would have meant.
[[nodiscard]] std::optional<Ip> read_loose_v4(std::string_view text);

/// An address prefix, for example 10.20.0.0/16. A bare address is a prefix of its full length.
class Cidr {
public:
    /// Host bits below the prefix length must be zero.
    [[nodiscard]] static Result<Cidr> parse(std::string_view text);
    [[nodiscard]] bool contains(const Ip& ip) const noexcept;
    [[nodiscard]] std::string to_string() const;

    friend bool operator==(const Cidr&, const Cidr&) = default;

private:
    Ip base_;
    unsigned length_ = 0;
};

} // namespace aduana::policy
