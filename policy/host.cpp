// SPDX-License-Identifier: Apache-2.0
// Normalising hosts: one spelling, or a refusal that tells the right one.
#include "policy/host.hpp"

#include "policy/address.hpp"
#include "policy/quote.hpp"

#include <idn2.h>

#include <algorithm>
#include <charconv>
#include <memory>

namespace aduana::policy {
namespace {

constexpr std::size_t longest_name = 253;
constexpr std::size_t longest_label = 63;
/// Of what is normalised: U-labels can be longer than the name that they become.
constexpr std::size_t longest_input = 1024;

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

char to_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_label_byte(char c)
{
    return (c >= 'a' && c <= 'z') || is_digit(c) || c == '-' || c == '_';
}

bool is_ascii(std::string_view text)
{
    return std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

/// IDNA 2008 with the mapping of UTS 46, not transitional: what browsers look up.
Result<std::string> to_a_labels(std::string_view text)
{
    const std::string zero_ended(text);
    std::uint8_t* raw = nullptr;
    const int status = ::idn2_lookup_u8(reinterpret_cast<const std::uint8_t*>(zero_ended.c_str()), &raw,
                                        IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL);
    const std::unique_ptr<std::uint8_t, decltype(&::idn2_free)> owner(raw, &::idn2_free);
    if (status != IDN2_OK)
        return Error{quoted(text) + " is not an internationalised host name: " + ::idn2_strerror(status),
                     "write the name in its ASCII form (xn--...)"};
    return std::string(reinterpret_cast<const char*>(raw));
}

/// WHATWG URL section 3.5: a name whose last label is a number is read as an IPv4 address by browsers, and by
/// inet_aton(3) in many programs.
bool ends_in_number(std::string_view name)
{
    const std::string_view last = name.substr(name.rfind('.') + 1);
    if (last.starts_with("0x"))
        return last.find_first_not_of("0123456789abcdef", 2) == std::string_view::npos;
    return std::ranges::all_of(last, is_digit);
}

Error numeric_error(std::string_view text, std::string_view name)
{
    Error error{quoted(text) + " is a number, not a host name", "write an IPv4 address as four decimal numbers"};
    auto address = Ip::parse(name);
    if (!address)
        address = read_loose_v4(name);
    if (address) {
        error.message = quoted(text) + " is another spelling of the address " + address->to_string();
        error.remedy = "write " + address->to_string();
    }
    return error;
}

std::optional<Error> label_fault(std::string_view text, std::string_view label)
{
    if (label.empty())
        return Error{quoted(text) + " is not a host name: a label is empty", "write one dot between labels"};
    if (label.size() > longest_label)
        return Error{quoted(text) + " is not a host name: a label is longer than 63 bytes", "check the spelling"};
    const auto odd = std::ranges::find_if_not(label, is_label_byte);
    if (odd != label.end())
        return Error{quoted(text) + " is not a host name: it holds " + quoted({&*odd, 1}),
                     "write only the host: letters, digits, hyphens, underscores and dots"};
    return std::nullopt;
}

/// `name` is what became of `text`, which the messages quote.
std::optional<Error> name_fault(std::string_view text, std::string_view name)
{
    if (name.size() > longest_name)
        return Error{quoted(text) + " is not a host name: it is longer than 253 bytes", "check the spelling"};
    for (std::size_t begin = 0; begin <= name.size();) {
        const std::size_t end = std::min(name.find('.', begin), name.size());
        if (auto fault = label_fault(text, name.substr(begin, end - begin)))
            return fault;
        begin = end + 1;
    }
    if (ends_in_number(name))
        return numeric_error(text, name);
    return std::nullopt;
}

Result<Ip> parse_v6_literal(std::string_view text)
{
    std::string_view inner = text;
    if (inner.starts_with('[') && inner.ends_with(']'))
        inner = inner.substr(1, inner.size() - 2);
    const auto ip = Ip::parse(inner);
    if (ip && !ip->is_v4())
        return *ip;
    if (inner.find('%') != std::string_view::npos)
        return Error{quoted(text) + " has a zone, which means nothing to other machines",
                     "leave out the % and the zone"};
    return Error{quoted(text) + " is not an IPv6 address", "write only the host, such as 2001:db8::1, without a port"};
}

Result<std::uint16_t> parse_port(std::string_view authority, std::string_view digits)
{
    std::uint16_t port = 0;
    const char* const last = digits.data() + digits.size();
    const auto [end, error] = std::from_chars(digits.data(), last, port);
    if (error != std::errc{} || end != last || port == 0 || digits.front() == '0')
        return Error{quoted(authority) + " has no valid port", "write a number from 1 to 65535 after the colon"};
    return port;
}

} // namespace

Result<Host> Host::parse(std::string_view text)
{
    if (text.empty())
        return Error{"the host is empty", "write a name or an address"};
    if (text.size() > longest_input)
        return Error{quoted(text) + " is not a host name: it is longer than 253 bytes", "check the spelling"};
    if (text.find('\0') != std::string_view::npos)
        return Error{quoted(text) + " is not a host name: it holds \"\\x00\"", "write only the host"};
    if (text.front() == '[' || text.find(':') != std::string_view::npos) {
        const auto ip = parse_v6_literal(text);
        if (!ip)
            return ip.error();
        return of(*ip);
    }
    if (const auto ip = Ip::parse(text))
        return of(*ip);

    Host host;
    if (is_ascii(text)) {
        host.text_.resize(text.size());
        std::ranges::transform(text, host.text_.begin(), to_lower);
    } else {
        auto name = to_a_labels(text);
        if (!name)
            return name.error();
        host.text_ = std::move(*name);
    }
    if (host.text_.ends_with('.'))
        host.text_.pop_back();
    if (auto fault = name_fault(text, host.text_))
        return std::move(*fault);
    return host;
}

Host Host::of(const Ip& ip)
{
    Host host;
    host.text_ = ip.to_string();
    host.ip_ = ip;
    return host;
}

std::string Host::uri_host() const
{
    return ip_ && !ip_->is_v4() ? "[" + text_ + "]" : text_;
}

bool is_public(const Host& host)
{
    if (const auto& ip = host.ip())
        return classify(*ip) == AddressClass::global;
    return host.text().find('.') != std::string::npos;
}

Result<Authority> parse_authority(std::string_view text)
{
    const bool bracketed = text.starts_with('[');
    if (!bracketed && std::ranges::count(text, ':') > 1)
        return Error{quoted(text) + " is not host:port", "write an IPv6 address in brackets"};
    const std::size_t colon = bracketed ? text.find("]:") : text.find(':');
    const std::size_t host_size = colon == std::string_view::npos ? text.size() : colon + (bracketed ? 1 : 0);

    auto host = Host::parse(text.substr(0, host_size));
    if (!host)
        return host.error();
    Authority authority{std::move(*host), std::nullopt};
    if (host_size == text.size())
        return authority;
    const auto port = parse_port(text, text.substr(host_size + 1));
    if (!port)
        return port.error();
    authority.port = *port;
    return authority;
}

} // namespace aduana::policy
