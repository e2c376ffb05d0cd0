// SPDX-License-Identifier: Apache-2.0
// Addresses: as text, as prefixes, and all 128 bits through the classes.
#include "policy/address.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace {

using namespace aduana::policy;

void require(bool holds)
{
    if (!holds)
        std::abort();
}

void check_ip(const Ip& ip)
{
    require(Ip::parse(ip.to_string()) == ip);
    const auto itself = Cidr::parse(ip.to_string());
    require(!itself || itself->contains(ip));

    const AddressClass address_class = classify(ip);
    if (const auto inner = ip.embedded_v4()) {
        require(address_class != AddressClass::global || classify(*inner) == AddressClass::global);
        require(classify(*inner) != AddressClass::metadata || address_class == AddressClass::metadata);
    }
    const Vetted plain = vet({&ip, 1}, 443, Rule{});
    require(plain.addresses.empty() == (address_class != AddressClass::global));

    Rule widest;
    widest.addresses = {*Cidr::parse("0.0.0.0/0"), *Cidr::parse("::/0")};
    const Vetted named = vet({&ip, 1}, 443, widest);
    require(address_class != AddressClass::metadata || named.addresses.empty());
    for (const PinnedAddress& address : named.addresses)
        require(address.ip() == ip && address.port() == 443);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (const auto ip = Ip::parse(text))
        check_ip(*ip);
    if (const auto range = Cidr::parse(text))
        require(*Cidr::parse(range->to_string()) == *range);
    if (const auto loose = read_loose_v4(text))
        require(loose->is_v4() && !Ip::parse(text));
    if (size >= 16) {
        std::array<std::uint8_t, 16> bytes{};
        std::copy_n(data, bytes.size(), bytes.begin());
        check_ip(Ip::v6(bytes));
        check_ip(Ip::v4({data[0], data[1], data[2], data[3]}));
    }
    return 0;
}
