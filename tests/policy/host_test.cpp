// SPDX-License-Identifier: Apache-2.0
// Hosts: one spelling for each, a refusal for every other way to write one.
#include "policy/host.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace aduana::policy {
namespace {

using namespace std::string_literals;

struct Spelling {
    std::string_view why;
    std::string text;
    std::string_view normal;
};

TEST(Host, HasOneSpelling)
{
    const std::vector<Spelling> cases{
        {"plain", "example.com", "example.com"},
        {"upper case folds", "ExAmPle.COM", "example.com"},
        {"one trailing dot is dropped", "example.com.", "example.com"},
        {"a single label is a host", "localhost", "localhost"},
        {"a single label with a dot", "LOCALHOST.", "localhost"},
        {"underscores are used in names of services", "_sip._tcp.example.com", "_sip._tcp.example.com"},
        {"hyphens anywhere", "-a-.example.com", "-a-.example.com"},
        {"labels of digits but the last", "1.2.3.example", "1.2.3.example"},
        {"a last label that only begins with digits", "1.2.3.4a", "1.2.3.4a"},
        {"0x without a hexadecimal end is a name", "a.0xg", "a.0xg"},
        {"an A-label stays", "XN--bcher-KVA.example", "xn--bcher-kva.example"},
        {"a U-label becomes one",
         "b\xc3\xbc"
         "cher.example",
         "xn--bcher-kva.example"},
        {"upper case outside ASCII folds",
         "B\xc3\x9c"
         "CHER.example",
         "xn--bcher-kva.example"},
        {"a decomposed letter is composed",
         "bu\xcc\x88"
         "cher.example",
         "xn--bcher-kva.example"},
        {"sharp s stays (not transitional)",
         "stra\xc3\x9f"
         "e.example",
         "xn--strae-oqa.example"},
        {"full-width letters are mapped", "\xef\xbd\x85xample.com", "example.com"},
        {"an ideographic full stop is a dot",
         "b\xc3\xbc"
         "cher\xe3\x80\x82"
         "example",
         "xn--bcher-kva.example"},
        {"a soft hyphen is nothing", "exam\xc2\xadple.com", "example.com"},
        {"the longest label", std::string(63, 'a') + ".example", ""},
        {"the longest name",
         std::string(61, 'a') + "." + std::string(63, 'b') + "." + std::string(63, 'c') + "." + std::string(63, 'd'),
         ""},
        {"IPv4", "192.0.2.1", "192.0.2.1"},
        {"IPv6 without brackets", "2001:DB8::0:1", "2001:db8::1"},
        {"IPv6 in brackets", "[2001:db8::1]", "2001:db8::1"},
        {"v4-mapped stays IPv6", "[::ffff:192.0.2.1]", "::ffff:192.0.2.1"},
    };
    for (const Spelling& spelling : cases) {
        SCOPED_TRACE(spelling.why);
        const auto host = Host::parse(spelling.text);
        ASSERT_TRUE(host) << describe(host.error());
        EXPECT_EQ(host->text(), spelling.normal.empty() ? spelling.text : spelling.normal);
        const auto again = Host::parse(host->text());
        ASSERT_TRUE(again);
        EXPECT_EQ(*again, *host);
    }
}

TEST(Host, SaysWhyASpellingIsRefused)
{
    struct Case {
        std::string text;
        std::string_view error;
    };
    const std::string_view only_host = "; write only the host: letters, digits, hyphens, underscores and dots";
    const std::vector<Case> cases{
        {"", "the host is empty; write a name or an address"},
        {".", R"("." is not a host name: a label is empty; write one dot between labels)"},
        {"..", R"(".." is not a host name: a label is empty; write one dot between labels)"},
        {".example.com", R"(".example.com" is not a host name: a label is empty; write one dot between labels)"},
        {"a..example", R"("a..example" is not a host name: a label is empty; write one dot between labels)"},
        {"example.com..", R"("example.com.." is not a host name: a label is empty; write one dot between labels)"},
        {"a b", R"("a b" is not a host name: it holds " ")"},
        {" a", R"(" a" is not a host name: it holds " ")"},
        {"a\t", R"("a\x09" is not a host name: it holds "\x09")"},
        {"a\r\nb", R"("a\x0d\x0ab" is not a host name: it holds "\x0d")"},
        {"a\0b"s, R"("a\x00b" is not a host name: it holds "\x00"; write only the host)"},
        {"example.com\0"s, R"("example.com\x00" is not a host name: it holds "\x00"; write only the host)"},
        {"example.com%2e", R"("example.com%2e" is not a host name: it holds "%")"},
        {"user@example.com", R"("user@example.com" is not a host name: it holds "@")"},
        {"example.com/x", R"("example.com/x" is not a host name: it holds "/")"},
        {"example.com\\x", R"("example.com\x5cx" is not a host name: it holds "\x5c")"},
        {"example.com?x", R"("example.com?x" is not a host name: it holds "?")"},
        {"example.com#x", R"("example.com#x" is not a host name: it holds "#")"},
        {"*.example.com", R"("*.example.com" is not a host name: it holds "*")"},
        {"a,b", R"("a,b" is not a host name: it holds ",")"},
        {"example.com:443",
         R"("example.com:443" is not an IPv6 address; write only the host, such as 2001:db8::1, without a port)"},
        {"[::1", R"("[::1" is not an IPv6 address; write only the host, such as 2001:db8::1, without a port)"},
        {"[::1]:443",
         R"("[::1]:443" is not an IPv6 address; write only the host, such as 2001:db8::1, without a port)"},
        {"[192.0.2.1]",
         R"("[192.0.2.1]" is not an IPv6 address; write only the host, such as 2001:db8::1, without a port)"},
        {"[]", R"("[]" is not an IPv6 address; write only the host, such as 2001:db8::1, without a port)"},
        {"[", R"("[" is not an IPv6 address; write only the host, such as 2001:db8::1, without a port)"},
        {"fe80::1%eth0",
         R"("fe80::1%eth0" has a zone, which means nothing to other machines; leave out the % and the zone)"},
        {"[fe80::1%25eth0]",
         R"("[fe80::1%25eth0]" has a zone, which means nothing to other machines; leave out the % and the zone)"},
        {"2130706433", R"("2130706433" is another spelling of the address 127.0.0.1; write 127.0.0.1)"},
        {"0x7F000001", R"("0x7F000001" is another spelling of the address 127.0.0.1; write 127.0.0.1)"},
        {"127.1", R"("127.1" is another spelling of the address 127.0.0.1; write 127.0.0.1)"},
        {"0177.0.0.1", R"("0177.0.0.1" is another spelling of the address 127.0.0.1; write 127.0.0.1)"},
        {"0xA9.254.0xA9FE",
         R"("0xA9.254.0xA9FE" is another spelling of the address 169.254.169.254; write 169.254.169.254)"},
        {"127.0.0.1.", R"("127.0.0.1." is another spelling of the address 127.0.0.1; write 127.0.0.1)"},
        {"\xef\xbc\x91\xef\xbc\x92\xef\xbc\x97.1",
         R"("\xef\xbc\x91\xef\xbc\x92\xef\xbc\x97.1" is another spelling of the address 127.0.0.1; write 127.0.0.1)"},
        {"1.2.3.256", R"("1.2.3.256" is a number, not a host name; write an IPv4 address as four decimal numbers)"},
        {"1.2.3.4.5", R"("1.2.3.4.5" is a number, not a host name; write an IPv4 address as four decimal numbers)"},
        {"example.1", R"("example.1" is a number, not a host name; write an IPv4 address as four decimal numbers)"},
        {"example.0x", R"("example.0x" is a number, not a host name; write an IPv4 address as four decimal numbers)"},
        {"\xff.example", "\"\\xff.example\" is not an internationalised host name: string encoding error; "
                         "write the name in its ASCII form (xn--...)"},
        {"b\xc3\xbc"
         "cher.example/x",
         R"("b\xc3\xbccher.example/x" is not a host name: it holds "/")"},
        {"\xef\xbc\x85.example", R"("\xef\xbc\x85.example" is not a host name: it holds "%")"},
    };
    for (const Case& item : cases) {
        SCOPED_TRACE(testing::PrintToString(item.text));
        const auto host = Host::parse(item.text);
        ASSERT_FALSE(host) << host->text();
        const bool of_a_character =
            item.error.find("it holds") != std::string_view::npos && !item.error.ends_with("host");
        EXPECT_EQ(describe(host.error()), std::string(item.error) + std::string(of_a_character ? only_host : ""));
    }
}

TEST(Host, IsBoundedInLength)
{
    const std::string label(63, 'a');
    EXPECT_EQ(Host::parse(label + "a.example").error().message,
              "\"" + label + "a.example\" is not a host name: a label is longer than 63 bytes");
    const std::string name = label + "." + label + "." + label + "." + std::string(61, 'b');
    ASSERT_EQ(name.size(), 253U);
    EXPECT_TRUE(Host::parse(name));
    EXPECT_TRUE(Host::parse(name + "."));
    EXPECT_FALSE(Host::parse(name + "b"));
    EXPECT_FALSE(Host::parse(std::string(1'000'000, 'a')));
    EXPECT_FALSE(Host::parse(std::string(1'000'000, '\xc3')));
}

TEST(Host, BracketsIpv6InAUri)
{
    EXPECT_EQ(Host::parse("2001:db8::1")->uri_host(), "[2001:db8::1]");
    EXPECT_EQ(Host::parse("192.0.2.1")->uri_host(), "192.0.2.1");
    EXPECT_EQ(Host::parse("example.com")->uri_host(), "example.com");
}

TEST(Host, KnowsItsAddress)
{
    EXPECT_EQ(Host::parse("[::1]")->ip(), Ip::parse("::1"));
    EXPECT_EQ(*Host::parse("[::1]"), Host::of(*Ip::parse("::1")));
    EXPECT_TRUE(Host::parse("example.com")->is_name());
    EXPECT_FALSE(Host::parse("192.0.2.1")->is_name());
}

TEST(IsPublic, TellsWhatTheStarMayStandFor)
{
    for (const std::string_view text : {"example.com", "a.localhost", "8.8.8.8", "2606:4700::1111"})
        EXPECT_TRUE(is_public(*Host::parse(text))) << text;
    for (const std::string_view text :
         {"localhost", "router", "10.0.0.1", "127.0.0.1", "::1", "::ffff:8.8.8.8", "fe80::1"})
        EXPECT_FALSE(is_public(*Host::parse(text))) << text;
}

TEST(ParseAuthority, ReadsHostAndPort)
{
    struct Case {
        std::string_view text;
        std::string_view host;
        std::optional<std::uint16_t> port;
    };
    const std::vector<Case> cases{
        {"example.com", "example.com", std::nullopt},   {"Example.com:443", "example.com", 443},
        {"example.com.:1", "example.com", 1},           {"192.0.2.1:65535", "192.0.2.1", 65535},
        {"[2001:db8::1]", "2001:db8::1", std::nullopt}, {"[2001:db8::1]:8443", "2001:db8::1", 8443},
    };
    for (const Case& item : cases) {
        SCOPED_TRACE(item.text);
        const auto authority = parse_authority(item.text);
        ASSERT_TRUE(authority) << describe(authority.error());
        EXPECT_EQ(authority->host.text(), item.host);
        EXPECT_EQ(authority->port, item.port);
    }
}

TEST(ParseAuthority, RefusesEverythingElse)
{
    const std::vector<std::string> cases{
        "",
        ":443",
        "example.com:",
        "example.com:0",
        "example.com:0443",
        "example.com:65536",
        "example.com:99999999999999999999",
        "example.com:+443",
        "example.com:-1",
        "example.com: 443",
        "example.com:443 ",
        "example.com:443:443",
        "example.com:https",
        "::1",
        "2001:db8::1:443",
        "[::1]443",
        "[::1]:",
        "[::1]:x",
        "[::1",
        "::1]:443",
        "user@example.com",
        "user:pass@example.com:443",
        "example.com:443/",
        "example.com:443\0"s,
        "[example.com]:443",
        "[127.0.0.1]:443",
        "127.1:80",
    };
    for (const std::string& text : cases)
        EXPECT_FALSE(parse_authority(text)) << testing::PrintToString(text);
    EXPECT_EQ(describe(parse_authority("example.com:0").error()),
              R"("example.com:0" has no valid port; write a number from 1 to 65535 after the colon)");
    EXPECT_EQ(describe(parse_authority("2001:db8::1:443").error()),
              R"("2001:db8::1:443" is not host:port; write an IPv6 address in brackets)");
}

} // namespace
} // namespace aduana::policy
