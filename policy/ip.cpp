// SPDX-License-Identifier: Apache-2.0
// Reading and writing addresses: inet_pton(3) and inet_ntop(3) do the text, this file the strictness around them.
#include "policy/ip.hpp"

#include "policy/quote.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>

namespace aduana::policy {
namespace {

constexpr std::string_view hex_digits_colon_dot = "0123456789abcdefABCDEF:.";

/// True where `bytes` begins with `prefix`.
template <std::size_t size>
bool begins_with(const std::array<std::uint8_t, 16>& bytes, const std::array<std::uint8_t, size>& prefix)
{
    return std::equal(prefix.begin(), prefix.end(), bytes.begin());
}

Ip v4_at(const std::array<std::uint8_t, 16>& bytes, std::size_t offset, std::uint8_t flipped = 0)
{
    std::array<std::uint8_t, 4> part{};
    for (std::size_t i = 0; i < part.size(); ++i)
        part[i] = static_cast<std::uint8_t>(bytes[offset + i] ^ flipped);
    return Ip::v4(part);
}

constexpr std::array<std::uint8_t, 12> v4_mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
constexpr std::array<std::uint8_t, 12> v4_compatible{};
constexpr std::array<std::uint8_t, 12> nat64{0x00, 0x64, 0xff, 0x9b};
constexpr std::array<std::uint8_t, 2> six_to_four{0x20, 0x02};
constexpr std::array<std::uint8_t, 4> teredo{0x20, 0x01};

} // namespace

Ip Ip::v4(std::array<std::uint8_t, 4> bytes)
{
    Ip ip;
    std::ranges::copy(bytes, ip.bytes_.begin());
    ip.v4_ = true;
    return ip;
}

Ip Ip::v6(std::array<std::uint8_t, 16> bytes)
{
    Ip ip;
    ip.bytes_ = bytes;
    return ip;
}

std::optional<Ip> Ip::parse(std::string_view text)
{
    // inet_pton(3) stops at a NUL and needs one: refuse those inside, and whatever is no address at first sight.
    std::array<char, INET6_ADDRSTRLEN> zero_ended{};
    if (text.empty() || text.size() >= zero_ended.size() ||
        text.find_first_not_of(hex_digits_colon_dot) != std::string_view::npos)
        return std::nullopt;
    std::ranges::copy(text, zero_ended.begin());

    if (text.find(':') == std::string_view::npos) {
        std::array<std::uint8_t, 4> bytes{};
        if (::inet_pton(AF_INET, zero_ended.data(), bytes.data()) != 1)
            return std::nullopt;
        return v4(bytes);
    }
    std::array<std::uint8_t, 16> bytes{};
    if (::inet_pton(AF_INET6, zero_ended.data(), bytes.data()) != 1)
        return std::nullopt;
    return v6(bytes);
}

std::string Ip::to_string() const
{
    std::array<char, INET6_ADDRSTRLEN> text{};
    ::inet_ntop(v4_ ? AF_INET : AF_INET6, bytes_.data(), text.data(), text.size());
    return text.data();
}

bool Ip::is_v4_mapped() const
{
    return !v4_ && begins_with(bytes_, v4_mapped);
}

std::optional<Ip> Ip::embedded_v4() const
{
    if (v4_)
        return std::nullopt;
    if (is_v4_mapped() || begins_with(bytes_, nat64))
        return v4_at(bytes_, 12);
    if (begins_with(bytes_, six_to_four))
        return v4_at(bytes_, 2);
    if (begins_with(bytes_, teredo))
        return v4_at(bytes_, 12, 0xff); // RFC 4380 section 4: the client's address is stored inverted
    const bool unspecified_or_loopback = begins_with(bytes_, std::array<std::uint8_t, 15>{}) && bytes_[15] <= 1;
    if (begins_with(bytes_, v4_compatible) && !unspecified_or_loopback)
        return v4_at(bytes_, 12);
    return std::nullopt;
}

std::optional<Ip> read_loose_v4(std::string_view text)
{
    // The longest is four octal numbers with any count of leading zeros; 64 bytes are plenty to explain one.
    std::array<char, 64> zero_ended{};
    if (text.empty() || text.size() >= zero_ended.size() ||
        text.find_first_not_of("0123456789abcdefABCDEFxX.") != std::string_view::npos || Ip::parse(text))
        return std::nullopt;
    std::ranges::copy(text, zero_ended.begin());
    in_addr address{};
    if (::inet_aton(zero_ended.data(), &address) == 0)
        return std::nullopt;
    std::array<std::uint8_t, 16> bytes{};
    const auto value = ntohl(address.s_addr);
    for (std::size_t i = 0; i < 4; ++i)
        bytes[i] = static_cast<std::uint8_t>(value >> (24 - 8 * i));
    return v4_at(bytes, 0);
}

Result<Cidr> Cidr::parse(std::string_view text)
{
    const auto slash = text.find('/');
    const auto address = Ip::parse(text.substr(0, slash));
    if (!address)
        return Error{quoted(text) + " is not an address prefix", "write it as 10.20.0.0/16 or 2001:db8:1::/48"};

    Cidr cidr;
    cidr.base_ = *address;
    const unsigned widest = address->is_v4() ? 32 : 128;
    cidr.length_ = widest;
    if (slash != std::string_view::npos) {
        const std::string_view digits = text.substr(slash + 1);
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), cidr.length_);
        const bool canonical = !digits.empty() && (digits == "0" || digits.front() != '0');
        if (error != std::errc{} || end != digits.data() + digits.size() || !canonical || cidr.length_ > widest)
            return Error{quoted(text) + " has no valid prefix length",
                         "write a number from 0 to " + std::to_string(widest) + " after the slash"};
    }
    if (address->is_v4_mapped())
        return Error{quoted(text) + " is the IPv6 spelling of an IPv4 prefix",
                     "write it in its IPv4 form, such as 10.20.0.0/16"};

    auto network = address->bytes();
    for (unsigned bit = cidr.length_; bit < widest; ++bit)
        network[bit / 8] &= static_cast<std::uint8_t>(~(0x80U >> (bit % 8)));
    if (network == address->bytes())
        return cidr;
    cidr.base_ = address->is_v4() ? v4_at(network, 0) : Ip::v6(network);
    return Error{quoted(text) + " has bits set beyond its prefix length",
                 "write " + cidr.to_string() + ", or " + address->to_string() + " for the one address"};
}

bool Cidr::contains(const Ip& ip) const noexcept
{
    if (ip.is_v4() != base_.is_v4())
        return false;
    const unsigned whole = length_ / 8;
    const auto& base = base_.bytes();
    if (!std::equal(base.begin(), base.begin() + whole, ip.bytes().begin()))
        return false;
    const unsigned bits = length_ % 8;
    return bits == 0 || ((base[whole] ^ ip.bytes()[whole]) >> (8 - bits)) == 0;
}

std::string Cidr::to_string() const
{
    return base_.to_string() + "/" + std::to_string(length_);
}

} // namespace aduana::policy
