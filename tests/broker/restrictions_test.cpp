// SPDX-License-Identifier: Apache-2.0
// What travels with a sealed secret narrows whatever is declared.
#include "broker/sealed/restrictions.hpp"

#include <gtest/gtest.h>

namespace aduana::broker {
namespace {

using namespace std::chrono_literals;
using policy::HostPattern;

constexpr std::chrono::system_clock::time_point now{1772366400s};

policy::CredentialDeclaration declared(const std::vector<std::string>& hosts)
{
    policy::CredentialDeclaration declaration;
    declaration.name = "a";
    declaration.source = policy::SealedSource{"a"};
    policy::CredentialBound bound;
    for (const auto& host : hosts)
        bound.hosts.push_back(*HostPattern::parse(host));
    declaration.destinations.push_back(std::move(bound));
    return declaration;
}

std::string hosts_of(const policy::CredentialDeclaration& declaration)
{
    std::string text;
    for (const auto& bound : declaration.destinations) {
        for (const auto& host : bound.hosts)
            text += host.text() + " ";
    }
    return text;
}

TEST(Restrictions, NarrowTheDestinations)
{
    struct Case {
        std::string sentence;
        std::vector<std::string> declared;
        std::vector<std::string> sealed;
        std::string left; ///< empty: refused
    };
    const std::vector<Case> cases{
        {"nothing said", {"api.example.com"}, {}, "api.example.com "},
        {"the same", {"api.example.com"}, {"api.example.com"}, "api.example.com "},
        {"one of two", {"api.example.com", "evil.example.org"}, {"api.example.com"}, "api.example.com "},
        {"a subdomain of what is sealed", {"api.example.com"}, {".example.com"}, "api.example.com "},
        {"one subdomain of what is declared", {".example.com"}, {"api.example.com"}, "api.example.com "},
        {"a narrower suffix", {".example.com"}, {".a.example.com"}, ".a.example.com "},
        {"not the domain itself", {"example.com"}, {".example.com"}, ""},
        {"another host", {"api.example.com"}, {"api.example.org"}, ""},
        {"a host that only ends alike", {"evilexample.com"}, {".example.com"}, ""},
        {"any host", {"api.example.com"}, {"*"}, "api.example.com "},
    };
    for (const auto& test : cases) {
        SCOPED_TRACE(test.sentence);
        auto declaration = declared(test.declared);
        const auto narrowed = narrow(declaration, {test.sealed, {}, {}, {}}, {"task", now});
        EXPECT_EQ(narrowed.has_value(), !test.left.empty());
        if (narrowed)
            EXPECT_EQ(hosts_of(declaration), test.left);
    }
}

TEST(Restrictions, DropDestinationsOfWhichNothingIsLeft)
{
    auto declaration = declared({"api.example.com"});
    declaration.destinations.push_back(declared({"other.example.com"}).destinations[0]);
    ASSERT_TRUE(narrow(declaration, {{"other.example.com"}, {}, {}, {}}, {"task", now}));
    // A bound without hosts would be no bound.
    ASSERT_EQ(declaration.destinations.size(), 1U);
    EXPECT_EQ(hosts_of(declaration), "other.example.com ");
}

TEST(Restrictions, AreForTheIssuerWhereTheSecretGoesThere)
{
    auto declaration = declared({"api.example.com"});
    policy::OAuth2Source source{*policy::HttpsUrl::parse("https://idp.example.com/token"), "a", {}, {}, {}, {}, {}};
    declaration.source = source;
    EXPECT_TRUE(narrow(declaration, {{"idp.example.com"}, {}, {}, {}}, {"task", now}));
    EXPECT_EQ(hosts_of(declaration), "api.example.com ");
    const auto refused = narrow(declaration, {{"api.example.com"}, {}, {}, {}}, {"task", now});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message,
              "it is sealed for other hosts than idp.example.com, which its `source` sends it to");
    source.revoke_url = policy::HttpsUrl::parse("https://other.example.org/revoke").value();
    declaration.source = source;
    EXPECT_FALSE(narrow(declaration, {{"idp.example.com"}, {}, {}, {}}, {"task", now}));
}

TEST(Restrictions, NameTheTasks)
{
    const auto allowed = [](const std::vector<std::string>& tasks, std::string_view task) {
        auto declaration = declared({"api.example.com"});
        return narrow(declaration, {{}, tasks, {}, {}}, {task, now}).has_value();
    };
    EXPECT_TRUE(allowed({}, "any"));
    EXPECT_TRUE(allowed({"build"}, "build"));
    EXPECT_FALSE(allowed({"build"}, "build-1"));
    EXPECT_TRUE(allowed({"other", "build-*"}, "build-1"));
    EXPECT_FALSE(allowed({"build-*"}, "build"));
}

TEST(Restrictions, EndAndShortenLeases)
{
    auto declaration = declared({"api.example.com"});
    declaration.lease.ttl = 15min;
    const auto end = std::chrono::time_point_cast<std::chrono::seconds>(now) + 1h;
    ASSERT_TRUE(narrow(declaration, {{}, {}, end, 60s}, {"task", now}));
    EXPECT_EQ(declaration.lease.ttl, 60s);
    EXPECT_EQ(declaration.not_after, end);
    // Of two secrets of one credential the narrower holds.
    ASSERT_TRUE(narrow(declaration, {{}, {}, end + 1h, 600s}, {"task", now}));
    EXPECT_EQ(declaration.lease.ttl, 60s);
    EXPECT_EQ(declaration.not_after, end);
    EXPECT_FALSE(narrow(declaration, {{}, {}, end, {}}, {"task", end}));
    EXPECT_FALSE(narrow(declaration, {{}, {}, end, {}}, {"task", end + 1s}));
}

} // namespace
} // namespace aduana::broker
