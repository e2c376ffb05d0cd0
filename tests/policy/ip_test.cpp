// SPDX-License-Identifier: Apache-2.0
// Addresses and prefixes: strict reading, one spelling, embedded IPv4.
#include "policy/ip.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace aduana::policy {
namespace {

using namespace std::string_literals;

struct Spelling {
    std::string_view text;
    std::string_view canonical;
    std::string_view why;
};

TEST(Ip, HasOneSpelling)
{
    const std::vector<Spelling> cases{
        {"0.0.0.0", "0.0.0.0", "zero"},
        {"255.255.255.255", "255.255.255.255", "all ones"},
        {"192.0.2.1", "192.0.2.1", "plain"},
        {"::", "::", "unspecified"},
        {"::1", "::1", "loopback"},
        {"2001:DB8::A", "2001:db8::a", "lower case (RFC 5952 section 4.3)"},
        {"2001:0db8:0000:0000:0000:0000:0000:0001", "2001:db8::1", "leading zeros dropped (4.1)"},
        {"2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1", "one zero group is not shortened (4.2.2)"},
        {"2001:0:0:1:0:0:0:1", "2001:0:0:1::1", "the longest run is shortened (4.2.3)"},
        {"2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1", "of equal runs the first (4.2.3)"},
        {"::ffff:c000:201", "::ffff:192.0.2.1", "mapped addresses show the IPv4 form (5)"},
        {"::ffff:192.0.2.1", "::ffff:192.0.2.1", "and are read in it"},
        {"64:ff9b::192.0.2.33", "64:ff9b::c000:221", "NAT64"},
        {"1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0", "a run of one at the end"},
    };
    for (const Spelling& spelling : cases) {
        SCOPED_TRACE(spelling.why);
        const auto ip = Ip::parse(spelling.text);
        ASSERT_TRUE(ip);
        EXPECT_EQ(ip->to_string(), spelling.canonical);
        EXPECT_EQ(Ip::parse(ip->to_string()), ip);
    }
}

TEST(Ip, RefusesEverythingElse)
{
    const std::vector<std::string> cases{
        "",
        "1",
        "1.2.3",
        "1.2.3.4.5",
        "1.2.3.256",
        "01.2.3.4",
        "1.2.3.04",
        "0x1.2.3.4",
        "1.2.3.4 ",
        " 1.2.3.4",
        "1.2.3.4\n",
        "1.2.3.4\0"s,
        "1.2.3.4\0x"s,
        "1..2.3",
        ".1.2.3.4",
        "1.2.3.4.",
        "1.2.3.+4",
        "1.2.3.-4",
        "[::1]",
        "::1%lo",
        "fe80::1%1",
        ":",
        ":::",
        "1::2::3",
        "12345::",
        "1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:8:9",
        "::g",
        "::1.2.3",
        "::1.2.3.256",
        "::01.2.3.4",
        "1.2.3.4::",
        "::ffff:0x7f.1",
        "::1/128",
        "1.2.3.4/32",
        "localhost",
        std::string(100, '1'),
        "::1 ",
        "1:2:3:4:5:6:7:8:",
        "\xef\xbc\x91.2.3.4",
    };
    for (const std::string& text : cases)
        EXPECT_FALSE(Ip::parse(text)) << testing::PrintToString(text);
}

TEST(Ip, OfDifferentFamiliesIsNeverEqual)
{
    EXPECT_NE(Ip::v4({}), Ip::v6({}));
    EXPECT_NE(Ip::parse("1.2.3.4"), Ip::parse("::ffff:1.2.3.4"));
    EXPECT_LT(*Ip::parse("1.2.3.4"), *Ip::parse("1.2.3.5"));
}

TEST(Ip, FindsTheEmbeddedV4)
{
    const std::vector<Spelling> cases{
        {"::ffff:10.0.0.1", "10.0.0.1", "v4-mapped"},
        {"::10.0.0.1", "10.0.0.1", "v4-compatible"},
        {"::0.0.0.2", "0.0.0.2", "v4-compatible, just past loopback"},
        {"64:ff9b::10.0.0.1", "10.0.0.1", "NAT64"},
        {"2002:0a00:0001::", "10.0.0.1", "6to4"},
        {"2002:0a00:0001:1:2:3:4:5", "10.0.0.1", "6to4 with a subnet and host"},
        {"2001:0:4136:e378:8000:63bf:f5ff:fffe", "10.0.0.1", "Teredo stores the client inverted"},
    };
    for (const Spelling& spelling : cases) {
        SCOPED_TRACE(spelling.why);
        EXPECT_EQ(Ip::parse(spelling.text)->embedded_v4(), Ip::parse(spelling.canonical));
    }
    for (const std::string_view none :
         {"10.0.0.1", "::", "::1", "2001:db8::a00:1", "64:ff9b:1::a00:1", "2003:a00:1::"}) {
        SCOPED_TRACE(none);
        EXPECT_EQ(Ip::parse(none)->embedded_v4(), std::nullopt);
    }
}

TEST(ReadLooseV4, TellsWhatInetAtonWouldRead)
{
    const std::vector<Spelling> cases{
        {"2130706433", "127.0.0.1", "one number"},
        {"0x7f000001", "127.0.0.1", "hexadecimal"},
        {"0X7F.1", "127.0.0.1", "two parts"},
        {"017700000001", "127.0.0.1", "octal"},
        {"0177.0.0.1", "127.0.0.1", "octal part"},
        {"127.1", "127.0.0.1", "short"},
        {"127.0.1", "127.0.0.1", "three parts"},
        {"169.254.43518", "169.254.169.254", "a wide last part"},
        {"0", "0.0.0.0", "zero"},
        {"00000000001.2.3.4", "1.2.3.4", "leading zeros"},
    };
    for (const Spelling& spelling : cases) {
        SCOPED_TRACE(spelling.why);
        EXPECT_EQ(read_loose_v4(spelling.text), Ip::parse(spelling.canonical));
    }
    for (const std::string& none : {""s, "127.0.0.1"s, "example.test"s, "256.1.1.1"s, "4294967296"s, "08.1"s,
                                    "1.2.3.4.5"s, "1.2.3.4 x"s, "::1"s, "1\0"s, std::string(64, '0')}) {
        SCOPED_TRACE(testing::PrintToString(none));
        EXPECT_EQ(read_loose_v4(none), std::nullopt);
    }
}

TEST(Cidr, ContainsItsRange)
{
    struct Case {
        std::string_view range;
        std::vector<std::string_view> inside;
        std::vector<std::string_view> outside;
    };
    const std::vector<Case> cases{
        {"10.20.0.0/16", {"10.20.0.0", "10.20.255.255"}, {"10.19.255.255", "10.21.0.0", "::ffff:10.20.0.1", "::"}},
        {"10.20.30.40", {"10.20.30.40"}, {"10.20.30.41"}},
        {"192.168.0.128/25", {"192.168.0.128", "192.168.0.255"}, {"192.168.0.127", "192.168.1.128"}},
        {"172.16.0.0/12", {"172.16.0.0", "172.31.255.255"}, {"172.15.255.255", "172.32.0.0"}},
        {"0.0.0.0/0", {"0.0.0.0", "255.255.255.255"}, {"::"}},
        {"fd00::/8", {"fd00::", "fdff:ffff::1"}, {"fc00::", "fe00::", "253.0.0.0"}},
        {"2001:db8::/33", {"2001:db8:7fff::1"}, {"2001:db8:8000::"}},
        {"::1", {"::1"}, {"::", "::2", "0.0.0.1"}},
    };
    for (const Case& item : cases) {
        SCOPED_TRACE(item.range);
        const auto range = Cidr::parse(item.range);
        ASSERT_TRUE(range) << describe(range.error());
        for (const std::string_view text : item.inside)
            EXPECT_TRUE(range->contains(*Ip::parse(text))) << text;
        for (const std::string_view text : item.outside)
            EXPECT_FALSE(range->contains(*Ip::parse(text))) << text;
    }
}

TEST(Cidr, WritesItself)
{
    EXPECT_EQ(Cidr::parse("10.20.0.0/16")->to_string(), "10.20.0.0/16");
    EXPECT_EQ(Cidr::parse("10.20.30.40")->to_string(), "10.20.30.40/32");
    EXPECT_EQ(Cidr::parse("2001:DB8:0::/48")->to_string(), "2001:db8::/48");
}

TEST(Cidr, SaysWhatIsWrong)
{
    struct Case {
        std::string_view text;
        std::string_view message;
        std::string_view remedy;
    };
    const std::vector<Case> cases{
        {"", R"("" is not an address prefix)", R"(write it as 10.20.0.0/16 or 2001:db8:1::/48)"},
        {"example.com", R"("example.com" is not an address prefix)", R"(write it as 10.20.0.0/16 or 2001:db8:1::/48)"},
        {"10.20/16", R"("10.20/16" is not an address prefix)", R"(write it as 10.20.0.0/16 or 2001:db8:1::/48)"},
        {"10.20.0.0/33", R"("10.20.0.0/33" has no valid prefix length)",
         R"(write a number from 0 to 32 after the slash)"},
        {"fd00::/129", R"("fd00::/129" has no valid prefix length)", R"(write a number from 0 to 128 after the slash)"},
        {"10.0.0.0/", R"("10.0.0.0/" has no valid prefix length)", R"(write a number from 0 to 32 after the slash)"},
        {"10.0.0.0/08", R"("10.0.0.0/08" has no valid prefix length)",
         R"(write a number from 0 to 32 after the slash)"},
        {"10.0.0.0/8x", R"("10.0.0.0/8x" has no valid prefix length)",
         R"(write a number from 0 to 32 after the slash)"},
        {"10.0.0.0/+8", R"("10.0.0.0/+8" has no valid prefix length)",
         R"(write a number from 0 to 32 after the slash)"},
        {"10.0.0.0/255.0.0.0", R"("10.0.0.0/255.0.0.0" has no valid prefix length)",
         R"(write a number from 0 to 32 after the slash)"},
        {"10.20.30.40/16", R"("10.20.30.40/16" has bits set beyond its prefix length)",
         R"(write 10.20.0.0/16, or 10.20.30.40 for the one address)"},
        {"fd00::1/8", R"("fd00::1/8" has bits set beyond its prefix length)",
         R"(write fd00::/8, or fd00::1 for the one address)"},
        {"::ffff:10.0.0.0/104", R"("::ffff:10.0.0.0/104" is the IPv6 spelling of an IPv4 prefix)",
         R"(write it in its IPv4 form, such as 10.20.0.0/16)"},
    };
    for (const Case& item : cases) {
        SCOPED_TRACE(item.text);
        const auto range = Cidr::parse(item.text);
        ASSERT_FALSE(range);
        EXPECT_EQ(range.error(), (Error{std::string(item.message), std::string(item.remedy)}));
    }
}

} // namespace
} // namespace aduana::policy
