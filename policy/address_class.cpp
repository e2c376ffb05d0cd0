// SPDX-License-Identifier: Apache-2.0
// Classes of addresses: the special-purpose registries of IANA (RFC 6890) and the clouds' metadata services as tables.
#include "policy/address.hpp"

#include <algorithm>
#include <array>

namespace aduana::policy {
namespace {

struct Range {
    std::array<std::uint8_t, 16> base;
    unsigned length;
    AddressClass address_class;
};

/// Never dialled, whatever a rule says. The link-local blocks also hold name and time servers of the instance.
constexpr std::array metadata_v4{
    Range{{169, 254, 169, 0}, 24, AddressClass::metadata}, // nearly every cloud
    Range{{169, 254, 170, 0}, 24, AddressClass::metadata}, // container and pod identities
    Range{{169, 254, 0, 23}, 32, AddressClass::metadata},    Range{{169, 254, 42, 42}, 32, AddressClass::metadata},
    Range{{100, 100, 100, 200}, 32, AddressClass::metadata}, Range{{168, 63, 129, 16}, 32, AddressClass::metadata},
    Range{{192, 0, 0, 192}, 32, AddressClass::metadata},
};

/// Also the few ranges that IANA calls global but that are special still (anycast relays, AS112): nothing that a task
/// needs lives there.
constexpr std::array special_v4{
    Range{{0}, 8, AddressClass::unspecified},          Range{{10}, 8, AddressClass::private_use},
    Range{{100, 64}, 10, AddressClass::shared},        Range{{127}, 8, AddressClass::loopback},
    Range{{169, 254}, 16, AddressClass::link_local},   Range{{172, 16}, 12, AddressClass::private_use},
    Range{{192, 0, 0}, 24, AddressClass::reserved},    Range{{192, 0, 2}, 24, AddressClass::reserved},
    Range{{192, 31, 196}, 24, AddressClass::reserved}, Range{{192, 52, 193}, 24, AddressClass::reserved},
    Range{{192, 88, 99}, 24, AddressClass::reserved},  Range{{192, 168}, 16, AddressClass::private_use},
    Range{{192, 175, 48}, 24, AddressClass::reserved}, Range{{198, 18}, 15, AddressClass::benchmarking},
    Range{{198, 51, 100}, 24, AddressClass::reserved}, Range{{203, 0, 113}, 24, AddressClass::reserved},
    Range{{224}, 4, AddressClass::multicast},          Range{{240}, 4, AddressClass::reserved},
};

constexpr std::array metadata_v6{
    Range{{0xfd, 0, 0x0e, 0xc2}, 32, AddressClass::metadata}, // fd00:ec2::/32
    Range{{0xfd, 0x20, 0, 0xce}, 32, AddressClass::metadata}, // fd20:ce::/32
    Range{{0xfd, 0, 0, 0x42, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x42}, 128, AddressClass::metadata},
    Range{{0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xa9, 0xfe, 0xa9, 0xfe}, 128, AddressClass::metadata},
};

/// The first that contains the address counts. Global unicast is what IANA has allocated (2000::/3) without its special
/// parts; all else is reserved, so that a range invented tomorrow is refused today.
constexpr std::array special_v6{
    Range{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 128, AddressClass::unspecified},
    Range{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 128, AddressClass::loopback},
    Range{{0, 0x64, 0xff, 0x9b}, 96, AddressClass::global},            // NAT64: as the address inside
    Range{{0, 0x64, 0xff, 0x9b, 0, 1}, 48, AddressClass::private_use}, // NAT64 of one network, RFC 8215
    Range{{0x20, 0x01, 0, 2}, 48, AddressClass::benchmarking},
    Range{{0x20, 0x01}, 23, AddressClass::reserved},                // IETF protocols, Teredo, ORCHID
    Range{{0x20, 0x01, 0x0d, 0xb8}, 32, AddressClass::reserved},    // documentation
    Range{{0x20, 0x02}, 16, AddressClass::reserved},                // 6to4, deprecated by RFC 7526
    Range{{0x26, 0x20, 0, 0x4f, 0x80}, 48, AddressClass::reserved}, // AS112
    Range{{0x3f, 0xff}, 20, AddressClass::reserved},                // documentation, RFC 9637
    Range{{0x20}, 3, AddressClass::global},
    Range{{0xfc}, 7, AddressClass::private_use},
    Range{{0xfe, 0x80}, 10, AddressClass::link_local},
    Range{{0xfe, 0xc0}, 10, AddressClass::private_use}, // site-local, RFC 3879
    Range{{0xff}, 8, AddressClass::multicast},
    Range{{0}, 0, AddressClass::reserved},
};

/// Further places of an IPv4 address than those of Ip::embedded_v4(). `mask` selects the bytes of `fixed` that tell.
struct Embedding {
    std::array<std::uint8_t, 12> fixed;
    std::array<std::uint8_t, 12> mask;
    std::array<std::uint8_t, 4> at;
};
constexpr std::array<std::uint8_t, 12> first_six{0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
constexpr std::array<std::uint8_t, 12> local_nat64{0, 0x64, 0xff, 0x9b, 0, 1};
constexpr std::array embeddings{
    // Teredo's server, RFC 4380 section 4
    Embedding{{0x20, 0x01, 0, 0}, {0xff, 0xff, 0xff, 0xff}, {4, 5, 6, 7}},
    // SIIT, RFC 2765 section 2.1: ::ffff:0:192.0.2.1
    Embedding{{0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff},
              {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
              {12, 13, 14, 15}},
    // ISATAP, RFC 5214 section 6.1: the interface identifier is 0000:5efe or 0200:5efe and the address
    Embedding{
        {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x5e, 0xfe}, {0, 0, 0, 0, 0, 0, 0, 0, 0xfd, 0xff, 0xff, 0xff}, {12, 13, 14, 15}},
    // 64:ff9b:1::/48 with prefixes of each length that RFC 6052 section 2.2 has room for
    Embedding{local_nat64, first_six, {6, 7, 9, 10}},
    Embedding{local_nat64, first_six, {7, 9, 10, 11}},
    Embedding{local_nat64, first_six, {9, 10, 11, 12}},
    Embedding{local_nat64, first_six, {12, 13, 14, 15}},
};

bool within(const std::array<std::uint8_t, 16>& bytes, const Range& range)
{
    const unsigned whole = range.length / 8;
    if (!std::equal(bytes.begin(), bytes.begin() + whole, range.base.begin()))
        return false;
    const unsigned bits = range.length % 8;
    return bits == 0 || ((bytes[whole] ^ range.base[whole]) >> (8 - bits)) == 0;
}

template <std::size_t size>
AddressClass class_in(const std::array<Range, size>& ranges, const Ip& ip)
{
    const auto range =
        std::ranges::find_if(ranges, [&](const Range& candidate) { return within(ip.bytes(), candidate); });
    return range == ranges.end() ? AddressClass::global : range->address_class;
}

AddressClass own_class(const Ip& ip)
{
    const AddressClass metadata = ip.is_v4() ? class_in(metadata_v4, ip) : class_in(metadata_v6, ip);
    if (metadata == AddressClass::metadata)
        return metadata;
    return ip.is_v4() ? class_in(special_v4, ip) : class_in(special_v6, ip);
}

/// Only metadata is treated otherwise than the rest; among the rest, "reserved" tells a person the least.
int badness(AddressClass address_class)
{
    switch (address_class) {
    case AddressClass::global:
        return 0;
    case AddressClass::reserved:
        return 1;
    case AddressClass::unspecified:
    case AddressClass::loopback:
    case AddressClass::private_use:
    case AddressClass::link_local:
    case AddressClass::shared:
    case AddressClass::multicast:
    case AddressClass::benchmarking:
        return 2;
    case AddressClass::metadata:
        return 3;
    }
    return 3;
}

AddressClass worse(AddressClass left, AddressClass right)
{
    return badness(right) > badness(left) ? right : left;
}

bool has(const Embedding& embedding, const Ip& ip)
{
    for (std::size_t i = 0; i < embedding.fixed.size(); ++i)
        if (((ip.bytes()[i] ^ embedding.fixed[i]) & embedding.mask[i]) != 0)
            return false;
    return true;
}

Ip inner_address(const Embedding& embedding, const Ip& ip)
{
    std::array<std::uint8_t, 4> inner{};
    std::ranges::transform(embedding.at, inner.begin(), [&](std::uint8_t at) { return ip.bytes()[at]; });
    return Ip::v4(inner);
}

} // namespace

std::string_view name_of(AddressClass address_class)
{
    switch (address_class) {
    case AddressClass::global:
        return "global";
    case AddressClass::unspecified:
        return "unspecified";
    case AddressClass::loopback:
        return "loopback";
    case AddressClass::private_use:
        return "private";
    case AddressClass::link_local:
        return "link-local";
    case AddressClass::shared:
        return "shared";
    case AddressClass::multicast:
        return "multicast";
    case AddressClass::reserved:
        return "reserved";
    case AddressClass::benchmarking:
        return "benchmarking";
    case AddressClass::metadata:
        return "metadata";
    }
    return "";
}

AddressClass classify(const Ip& ip)
{
    AddressClass result = own_class(ip);
    if (ip.is_v4())
        return result;
    if (const auto inner = ip.embedded_v4())
        result = worse(result, own_class(*inner));
    for (const Embedding& embedding : embeddings)
        if (has(embedding, ip))
            result = worse(result, own_class(inner_address(embedding, ip)));
    return result;
}

} // namespace aduana::policy
