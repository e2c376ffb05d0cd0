// SPDX-License-Identifier: Apache-2.0
// Hosts of rules: what they match, what they cover, and how each mistake is answered.
#include "policy/host.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace aduana::policy {
namespace {

HostPattern pattern(std::string_view text)
{
    auto parsed = HostPattern::parse(text);
    EXPECT_TRUE(parsed) << text;
    return std::move(*parsed);
}

bool matches(std::string_view text, std::string_view host)
{
    return pattern(text).matches(*Host::parse(host));
}

TEST(HostPattern, ExactMatchesOneHostInEverySpelling)
{
    EXPECT_TRUE(matches("API.example.com.", "api.EXAMPLE.com"));
    EXPECT_TRUE(matches("b\xc3\xbc"
                        "cher.example",
                        "xn--bcher-kva.example"));
    EXPECT_FALSE(matches("api.example.com", "example.com"));
    EXPECT_FALSE(matches("api.example.com", "x.api.example.com"));
    EXPECT_FALSE(matches("api.example.com", "xapi.example.com"));
    EXPECT_TRUE(matches("localhost", "localhost"));
}

TEST(HostPattern, ExactMatchesAnAddress)
{
    EXPECT_TRUE(matches("2001:db8::1", "[2001:DB8:0::1]"));
    EXPECT_TRUE(matches("[2001:db8::1]", "2001:db8::1"));
    EXPECT_TRUE(matches("192.0.2.1", "192.0.2.1"));
    EXPECT_FALSE(matches("192.0.2.1", "::ffff:192.0.2.1"));
}

TEST(HostPattern, SuffixMatchesEverySubdomain)
{
    EXPECT_TRUE(matches(".example.com", "a.example.com"));
    EXPECT_TRUE(matches(".Example.com.", "a.b.c.example.com"));
}

TEST(HostPattern, SuffixDoesNotMatchTheBareDomain)
{
    EXPECT_FALSE(matches(".example.com", "example.com"));
}

TEST(HostPattern, SuffixDoesNotMatchALongerLabel)
{
    EXPECT_FALSE(matches(".example.com", "badexample.com"));
    EXPECT_FALSE(matches(".example.com", "example.com.evil.test"));
}

TEST(HostPattern, StarMatchesPublicHostsOnly)
{
    EXPECT_TRUE(matches("*", "example.com"));
    EXPECT_TRUE(matches("*", "8.8.8.8"));
    EXPECT_FALSE(matches("*", "localhost"));
    EXPECT_FALSE(matches("*", "10.0.0.1"));
    EXPECT_FALSE(matches("*", "169.254.169.254"));
    EXPECT_FALSE(matches("*", "::1"));
}

TEST(HostPattern, ShowsItselfNormalised)
{
    EXPECT_EQ(pattern(".EXAMPLE.com.").text(), ".example.com");
    EXPECT_EQ(pattern("*").text(), "*");
    EXPECT_EQ(pattern("[2001:DB8::1]").text(), "2001:db8::1");
    EXPECT_EQ(pattern("Example.com").kind(), HostPattern::Kind::exact);
    EXPECT_EQ(pattern(".example.com").kind(), HostPattern::Kind::suffix);
    EXPECT_EQ(pattern("*").kind(), HostPattern::Kind::any);
    EXPECT_EQ(pattern("EXAMPLE.com"), pattern("example.com."));
}

TEST(HostPattern, CoversWhatMatchesNoMore)
{
    struct Case {
        std::string_view outer;
        std::string_view inner;
        bool covers;
    };
    const std::vector<Case> cases{
        {"example.com", "example.com", true},
        {"example.com", "a.example.com", false},
        {"example.com", ".example.com", false},
        {"example.com", "*", false},
        {".example.com", "a.example.com", true},
        {".example.com", "example.com", false},
        {".example.com", ".example.com", true},
        {".example.com", ".a.example.com", true},
        {".a.example.com", ".example.com", false},
        {".example.com", ".badexample.com", false},
        {".example.com", "*", false},
        {".example.com", "192.0.2.1", false},
        {"*", "*", true},
        {"*", "example.com", true},
        {"*", ".example.com", true},
        {"*", "localhost", false},
        {"*", "8.8.8.8", true},
        {"*", "10.0.0.1", false},
        {"10.0.0.1", "10.0.0.1", true},
        {"10.0.0.1", "10.0.0.2", false},
    };
    for (const Case& item : cases)
        EXPECT_EQ(pattern(item.outer).covers(pattern(item.inner)), item.covers) << item.outer << " over " << item.inner;
}

TEST(HostPattern, SaysWhatToWriteInstead)
{
    struct Case {
        std::string_view text;
        std::string_view message;
        std::string_view remedy;
    };
    const std::vector<Case> cases{
        {"*.example.com", R"("*.example.com" is not a host pattern)",
         R"(write ".example.com" for every subdomain; the name itself is an entry of its own)"},
        {"api-*.example.com", R"("api-*.example.com" is not a host pattern: `*` stands alone)",
         R"(write whole names, ".example.com" for every subdomain, or "*" for any public host)"},
        {"*.*.com", R"("*.*.com" is not a host pattern: `*` stands alone)",
         R"(write whole names, ".example.com" for every subdomain, or "*" for any public host)"},
        {"**", R"("**" is not a host pattern: `*` stands alone)",
         R"(write whole names, ".example.com" for every subdomain, or "*" for any public host)"},
        {".*", R"(".*" is not a host pattern: `*` stands alone)",
         R"(write whole names, ".example.com" for every subdomain, or "*" for any public host)"},
        {"https://user@example.com:8443/x?y", R"("https://user@example.com:8443/x?y" is a URL, not a host)",
         R"(write only the host, "example.com"; scheme, ports and paths have keys of their own)"},
        {"http://[::1]/", R"("http://[::1]/" is a URL, not a host)",
         R"(write only the host, "[::1]"; scheme, ports and paths have keys of their own)"},
        {"example.com/v1", R"("example.com/v1" is more than a host)",
         R"(write only the host, "example.com"; paths go under `paths`)"},
        {"10.20.0.0/16", R"("10.20.0.0/16" is a range of addresses, not a host)",
         R"(name the host here and put the range under `addresses`)"},
        {"example.com:443", R"("example.com:443" names a port)",
         R"(write only the host, "example.com"; ports go under `ports`)"},
        {"[::1]:443", R"("[::1]:443" names a port)", R"(write only the host, "[::1]"; ports go under `ports`)"},
        {"me@example.com", R"("me@example.com" holds user information)", R"(write only the host, "example.com")"},
        {".com", R"(".com" covers a whole top-level domain)",
         R"(name a domain, such as ".example.com", or "*" for any public host)"},
        {".192.0.2.1", R"(".192.0.2.1" is not a host pattern: an address has no subdomains)", R"(write "192.0.2.1")"},
        {"", "the host is empty", "write a name or an address"},
        {".", "the host is empty", "write a name or an address"},
        {"127.1", R"("127.1" is another spelling of the address 127.0.0.1)", R"(write 127.0.0.1)"},
        {"exa mple.com", R"("exa mple.com" is not a host name: it holds " ")",
         R"(write only the host: letters, digits, hyphens, underscores and dots)"},
    };
    for (const Case& item : cases) {
        SCOPED_TRACE(item.text);
        const auto parsed = HostPattern::parse(item.text);
        ASSERT_FALSE(parsed) << parsed->text();
        EXPECT_EQ(parsed.error(), (Error{std::string(item.message), std::string(item.remedy)}));
    }
    EXPECT_FALSE(HostPattern::parse("..example.com"));
}

} // namespace
} // namespace aduana::policy
