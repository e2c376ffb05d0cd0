// SPDX-License-Identifier: Apache-2.0
// Address classes in every spelling, and which addresses a rule may dial.
#include "policy/address.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace aduana::policy {
namespace {

struct Case {
    std::string_view first;
    std::string_view last;
    AddressClass expected;
    std::string_view why;
};

void expect_classes(const std::vector<Case>& cases)
{
    for (const Case& item : cases) {
        SCOPED_TRACE(item.why);
        for (const std::string_view text : {item.first, item.last}) {
            const auto ip = Ip::parse(text);
            ASSERT_TRUE(ip) << text;
            EXPECT_EQ(name_of(classify(*ip)), name_of(item.expected)) << text;
        }
    }
}

TEST(Classify, KnowsTheRangesOfIpv4)
{
    using enum AddressClass;
    expect_classes({
        {"0.0.0.0", "0.255.255.255", unspecified, "this network"},
        {"1.0.0.0", "9.255.255.255", global, "before the private ten"},
        {"10.0.0.0", "10.255.255.255", private_use, "the private ten"},
        {"11.0.0.0", "100.63.255.255", global, "after it"},
        {"100.64.0.0", "100.127.255.255", shared, "carrier-grade NAT"},
        {"100.128.0.0", "126.255.255.255", global, "after it"},
        {"127.0.0.0", "127.255.255.255", loopback, "all of loopback, not only 127.0.0.1"},
        {"128.0.0.0", "169.253.255.255", global, "after it"},
        {"169.254.0.0", "169.254.255.255", link_local, "link-local"},
        {"169.255.0.0", "172.15.255.255", global, "after it"},
        {"172.16.0.0", "172.31.255.255", private_use, "private"},
        {"172.32.0.0", "191.255.255.255", global, "after it"},
        {"192.0.0.0", "192.0.0.255", reserved, "IETF protocols"},
        {"192.0.1.0", "192.0.1.255", global, "between two"},
        {"192.0.2.0", "192.0.2.255", reserved, "documentation"},
        {"192.0.3.0", "192.31.195.255", global, "after it"},
        {"192.31.196.0", "192.31.196.255", reserved, "AS112"},
        {"192.52.193.0", "192.52.193.255", reserved, "AMT"},
        {"192.88.99.0", "192.88.99.255", reserved, "6to4 relays"},
        {"192.88.100.0", "192.167.255.255", global, "before the private block"},
        {"192.168.0.0", "192.168.255.255", private_use, "private"},
        {"192.169.0.0", "192.175.47.255", global, "after it"},
        {"192.175.48.0", "192.175.48.255", reserved, "AS112"},
        {"192.175.49.0", "198.17.255.255", global, "before benchmarking"},
        {"198.18.0.0", "198.19.255.255", benchmarking, "benchmarking, and the gateway"},
        {"198.20.0.0", "198.51.99.255", global, "after it"},
        {"198.51.100.0", "198.51.100.255", reserved, "documentation"},
        {"198.51.101.0", "203.0.112.255", global, "after it"},
        {"203.0.113.0", "203.0.113.255", reserved, "documentation"},
        {"203.0.114.0", "223.255.255.255", global, "the last of unicast"},
        {"224.0.0.0", "239.255.255.255", multicast, "multicast"},
        {"240.0.0.0", "255.255.255.255", reserved, "class E and broadcast"},
    });
}

TEST(Classify, KnowsTheRangesOfIpv6)
{
    using enum AddressClass;
    expect_classes({
        {"::", "::", unspecified, "unspecified"},
        {"::1", "::1", loopback, "loopback"},
        {"::8.8.8.8", "::9.9.9.9", reserved, "v4-compatible, deprecated"},
        {"::ffff:8.8.8.8", "::ffff:9.9.9.9", reserved, "v4-mapped is never a destination of its own"},
        {"64:ff9b::8.8.8.8", "64:ff9b::9.9.9.9", global, "NAT64 of a global address"},
        {"64:ff9b:1::", "64:ff9b:1:ffff:808:8:808:808", private_use, "NAT64 of one network"},
        {"64:ff9b:0:1::", "64:ff9b:2::", reserved, "beside NAT64"},
        {"100::", "100::ffff:ffff:ffff:ffff", reserved, "discard-only"},
        {"100:0:0:1::", "1fff:ffff::", reserved, "before global unicast"},
        {"2001:1::", "2001:1ff:ffff::", reserved, "IETF protocols"},
        {"2001:0:808:808::f7f7:f7f7", "2001:0:808:808:1::", reserved, "Teredo between global addresses"},
        {"2001:2::", "2001:2:0:ffff::", benchmarking, "benchmarking"},
        {"2001:10::", "2001:2f:ffff::", reserved, "ORCHID and ORCHIDv2"},
        {"2001:200::", "2001:db7:ffff::", global, "global unicast"},
        {"2001:db8::", "2001:db8:ffff::", reserved, "documentation"},
        {"2001:db9::", "2001:ffff::", global, "after it"},
        {"2002:808:808::", "2002:909:909::1", reserved, "6to4, deprecated"},
        {"2003::", "2620:4f:7fff::", global, "global unicast"},
        {"2620:4f:8000::", "2620:4f:8000:ffff::", reserved, "AS112"},
        {"2606:4700::1111", "3ffe::", global, "global unicast"},
        {"3fff::", "3fff:fff:ffff::", reserved, "documentation"},
        {"3fff:1000::", "3fff:ffff::", global, "the last of global unicast"},
        {"4000::", "fbff:ffff::", reserved, "not allocated"},
        {"5f00::", "5f00:ffff::", reserved, "segment routing"},
        {"fc00::", "fdff:ffff::", private_use, "unique local"},
        {"fe00::", "fe7f:ffff::", reserved, "not allocated"},
        {"fe80::", "febf:ffff::", link_local, "link-local"},
        {"fec0::", "feff:ffff::", private_use, "site-local"},
        {"ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", multicast, "multicast"},
    });
}

TEST(Classify, KnowsTheMetadataServices)
{
    for (const std::string_view text :
         {"169.254.169.254", "169.254.169.253", "169.254.169.123", "169.254.170.2", "169.254.170.23", "169.254.0.23",
          "169.254.42.42", "100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254", "fd00:ec2::23",
          "fd20:ce::254", "fd00:42::42", "fe80::a9fe:a9fe"})
        EXPECT_EQ(name_of(classify(*Ip::parse(text))), "metadata") << text;
    for (const std::string_view text :
         {"169.254.168.254", "100.100.100.201", "168.63.129.17", "192.0.0.193", "fd00:ec3::254"})
        EXPECT_NE(name_of(classify(*Ip::parse(text))), "metadata") << text;
}

TEST(Classify, LooksIntoEveryEmbedding)
{
    using enum AddressClass;
    expect_classes({
        {"::ffff:127.0.0.1", "::ffff:7f00:1", loopback, "v4-mapped"},
        {"::ffff:10.0.0.1", "::ffff:192.168.1.1", private_use, "v4-mapped"},
        {"::ffff:169.254.169.254", "::ffff:a9fe:a9fe", metadata, "v4-mapped"},
        {"::127.0.0.1", "::7f00:1", loopback, "v4-compatible"},
        {"::169.254.169.254", "::a9fe:a9fe", metadata, "v4-compatible"},
        {"64:ff9b::127.0.0.1", "64:ff9b::7f00:1", loopback, "NAT64"},
        {"64:ff9b::169.254.169.254", "64:ff9b::6464:64c8", metadata, "NAT64"},
        {"64:ff9b::10.0.0.1", "64:ff9b::c0a8:1", private_use, "NAT64"},
        {"64:ff9b::224.0.0.1", "64:ff9b::e000:1", multicast, "NAT64"},
        {"2002:7f00:1::", "2002:7f00:1::1", loopback, "6to4"},
        {"2002:a9fe:a9fe::", "2002:a9fe:a9fe:1::1", metadata, "6to4"},
        {"2001:0:808:808::80ff:fffe", "2001::80ff:fffe", loopback, "Teredo's client, inverted"},
        {"2001:0:808:808::5601:5601", "2001::5601:5601", metadata, "Teredo's client, inverted"},
        {"2001:0:a9fe:a9fe::f7f7:f7f7", "2001:0:a9fe:a9fe::", metadata, "Teredo's server"},
        {"::ffff:0:169.254.169.254", "::ffff:0:a9fe:a9fe", metadata, "SIIT"},
        {"2606:4700::5efe:169.254.169.254", "2606:4700::200:5efe:169.254.169.254", metadata, "ISATAP"},
        {"2606:4700::5efe:10.0.0.1", "2606:4700::200:5efe:10.0.0.1", private_use, "ISATAP"},
        {"2606:4700::5efe:8.8.8.8", "2606:4700::200:5efe:8.8.8.8", global, "ISATAP of a global address"},
        {"64:ff9b:1:a9fe:a9:fe00::", "64:ff9b:1:a9fe:a9:fe00::", metadata, "local NAT64 with a prefix of 48 bits"},
        {"64:ff9b:1:a9:fe:a9fe::", "64:ff9b:1:a9:fe:a9fe::", metadata, "with 56"},
        {"64:ff9b:1::a9:fea9:fe00:0", "64:ff9b:1::a9:fea9:fe00:0", metadata, "with 64"},
        {"64:ff9b:1::a9fe:a9fe", "64:ff9b:1:ffff::a9fe:a9fe", metadata, "with 96"},
    });
}

TEST(Classify, NamesEachClass)
{
    std::set<std::string_view> names;
    for (int i = 0; i <= static_cast<int>(AddressClass::metadata); ++i)
        EXPECT_TRUE(names.insert(name_of(static_cast<AddressClass>(i))).second);
    EXPECT_FALSE(names.contains(""));
}

Rule rule_naming(const std::vector<std::string_view>& ranges)
{
    Rule rule;
    for (const std::string_view range : ranges)
        rule.addresses.push_back(*Cidr::parse(range));
    return rule;
}

Vetted vet_texts(const std::vector<std::string_view>& texts, const Rule& rule)
{
    std::vector<Ip> ips;
    for (const std::string_view text : texts)
        ips.push_back(*Ip::parse(text));
    return vet(ips, 443, rule);
}

TEST(Vet, PassesGlobalAddressesInOrder)
{
    const Vetted vetted = vet_texts({"2606:4700::1111", "8.8.8.8"}, Rule{});
    ASSERT_EQ(vetted.addresses.size(), 2U);
    EXPECT_EQ(vetted.addresses[0].ip(), Ip::parse("2606:4700::1111"));
    EXPECT_EQ(vetted.addresses[1].ip(), Ip::parse("8.8.8.8"));
    EXPECT_EQ(vetted.addresses[1].port(), 443);
    EXPECT_EQ(vetted.reason, Reason::allowed);
}

TEST(Vet, DropsTheOthersAmongThem)
{
    const Vetted vetted = vet_texts({"10.0.0.1", "8.8.8.8", "::1", "169.254.169.254"}, Rule{});
    ASSERT_EQ(vetted.addresses.size(), 1U);
    EXPECT_EQ(vetted.addresses[0].ip(), Ip::parse("8.8.8.8"));
    EXPECT_EQ(vetted.reason, Reason::allowed);
}

TEST(Vet, PassesWhatTheRuleNames)
{
    const Rule rule = rule_naming({"10.20.0.0/16", "::1"});
    EXPECT_EQ(vet_texts({"10.20.3.4"}, rule).addresses.size(), 1U);
    EXPECT_EQ(vet_texts({"::1"}, rule).addresses.size(), 1U);
    EXPECT_EQ(vet_texts({"10.21.0.1", "127.0.0.1"}, rule).addresses.size(), 0U);
    EXPECT_EQ(vet_texts({"8.8.8.8"}, rule).addresses.size(), 1U) << "named ranges come on top of global addresses";
}

TEST(Vet, TakesNoSecondSpellingOfANamedRange)
{
    const Rule rule = rule_naming({"10.20.0.0/16", "0.0.0.0/0", "::/0"});
    EXPECT_EQ(vet_texts({"::ffff:10.20.3.4"}, rule).addresses.size(), 0U);
    EXPECT_EQ(vet_texts({"::ffff:8.8.8.8"}, rule).addresses.size(), 0U);
    EXPECT_EQ(vet_texts({"64:ff9b::10.20.3.4"}, rule_naming({"10.20.0.0/16"})).addresses.size(), 0U);
}

TEST(Vet, NeverPassesMetadata)
{
    const Rule rule = rule_naming({"0.0.0.0/0", "::/0", "169.254.169.254"});
    for (const std::string_view text :
         {"169.254.169.254", "169.254.170.2", "100.100.100.200", "168.63.129.16", "fd00:ec2::254",
          "64:ff9b::169.254.169.254", "::ffff:169.254.169.254", "2002:a9fe:a9fe::"}) {
        const Vetted vetted = vet_texts({text}, rule);
        EXPECT_TRUE(vetted.addresses.empty()) << text;
        EXPECT_EQ(code_of(vetted.reason), "address-metadata") << text;
    }
}

TEST(Vet, NeverPassesTheRangeOfTheGateways)
{
    const Rule rule = rule_naming({"0.0.0.0/0", "::/0", "198.18.0.0/15"});
    for (const std::string_view text : {"198.18.0.1", "198.19.0.1", "64:ff9b::198.18.0.1", "2001:2::1"}) {
        const Vetted vetted = vet_texts({text}, rule);
        EXPECT_TRUE(vetted.addresses.empty()) << text;
        EXPECT_EQ(code_of(vetted.reason), "address-private") << text;
    }
}

TEST(Vet, TellsWhyNothingIsLeft)
{
    EXPECT_EQ(vet_texts({}, Rule{}).reason, Reason::name_unresolved);
    EXPECT_EQ(vet_texts({"10.0.0.1", "::1"}, Rule{}).reason, Reason::address_private);
    EXPECT_EQ(vet_texts({"10.0.0.1", "169.254.169.254"}, Rule{}).reason, Reason::address_metadata);
}

} // namespace
} // namespace aduana::policy
