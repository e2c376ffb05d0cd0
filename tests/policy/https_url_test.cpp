// SPDX-License-Identifier: Apache-2.0
// URLs of issuers: one reading, or none.
#include "policy/https_url.hpp"

#include <gtest/gtest.h>

namespace aduana::policy {
namespace {

TEST(HttpsUrl, IsTakenApart)
{
    struct Case {
        std::string text;
        std::string host;
        std::uint16_t port;
        std::string target;
    };
    const std::vector<Case> cases{
        {"https://idp.example.com/token", "idp.example.com", 443, "/token"},
        {"https://IDP.example.com.:8443/a/b?c=d&e=/", "idp.example.com", 8443, "/a/b?c=d&e=/"},
        {"https://idp.example.com", "idp.example.com", 443, "/"},
        {"https://idp.example.com?x", "idp.example.com", 443, "/?x"},
        {"https://[2001:db8::1]:444/t", "2001:db8::1", 444, "/t"},
    };
    for (const auto& test : cases) {
        const auto url = HttpsUrl::parse(test.text);
        ASSERT_TRUE(url) << test.text << ": " << describe(url.error());
        EXPECT_EQ(url->host.text(), test.host);
        EXPECT_EQ(url->port, test.port);
        EXPECT_EQ(url->target, test.target);
        EXPECT_EQ(url->text, test.text);
    }
    EXPECT_EQ(HttpsUrl::parse("https://a.example.com/b?c")->path(), "/b");
}

TEST(HttpsUrl, RefusesWhatCouldBeReadInAnotherWay)
{
    const std::vector<std::string> refused{
        "",
        "http://idp.example.com/token",
        "HTTPS://idp.example.com/token",
        "https:/idp.example.com",
        "https://",
        "https:///token",
        "https://user@idp.example.com/",
        "https://idp.example.com@evil.example.com/",
        "https://idp.example.com\\@evil.example.com/",
        "https://idp.example.com/#x",
        "https://idp.example.com/a b",
        "https://idp.example.com/\r\nX: y",
        "https://idp.example.com/\xc3\xa9",
        "https://idp.example.com:0/",
        "https://idp.example.com:65536/",
        "https://idp.example.com:/",
        "https://0x7f.1/",
        "https://idp.example.com/" + std::string(2048, 'a'),
    };
    for (const auto& text : refused) {
        const auto url = HttpsUrl::parse(text);
        ASSERT_FALSE(url) << text;
        EXPECT_FALSE(url.error().remedy.empty()) << text;
    }
}

TEST(HttpsUrl, NeverRepeatsAUserAndPassword)
{
    const auto url = HttpsUrl::parse("https://client:hunter2hunter2@idp.example.com/");
    ASSERT_FALSE(url);
    EXPECT_EQ(url.error().message, "the URL of host \"idp.example.com\" holds a user");
}

} // namespace
} // namespace aduana::policy
