// SPDX-License-Identifier: Apache-2.0
// Where a derived credential may go, for how long, and in which places of a request its placeholder stands for it.
#include "proxy/core/captured.hpp"

#include "proxy/core/capture_rules.hpp"
#include "proxy/core/head_parser.hpp"
#include "proxy/core/placeholder_search.hpp"

#include <gtest/gtest.h>

namespace aduana::proxy {
namespace {

using namespace std::chrono_literals;
using Clock = Captured::Clock;

const std::string one = "EGP_ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const std::string other = "EGP_22222222222222222222222222";
constexpr std::string_view value = "s3cret-derived";

Target target(std::string_view host, std::uint16_t port = 443, policy::Scheme scheme = policy::Scheme::https)
{
    return {scheme, policy::Host::parse(host).value(), port, "/", ""};
}

struct Kept {
    policy::CaptureRule rule;
    Captured captured;
    Clock::time_point now{1h};

    Outcome<const CapturedValue*> keep(std::string_view secret, const std::string& placeholder = one,
                                       std::optional<std::chrono::seconds> expires_in = {}, std::string href = "")
    {
        const auto answering = target("idp.example.com", 8443);
        return captured.keep({{}, Secret::copy_of(secret), &rule, false, expires_in, std::move(href)},
                             {"idp", true, answering, now}, placeholder);
    }
    Outcome<const CapturedValue*> keep_refresh(std::string_view secret, const std::string& placeholder)
    {
        const auto answering = target("idp.example.com", 8443);
        return captured.keep({{}, Secret::copy_of(secret), &rule, true, {}, ""}, {"idp", true, answering, now},
                             placeholder);
    }
};

TEST(Captured, GoesToTheHostThatAnsweredWhereNothingElseIsSaid)
{
    Kept kept;
    const auto* const known = kept.keep(value).value();
    EXPECT_TRUE(known->is_for(target("idp.example.com", 8443), "idp"));
    EXPECT_TRUE(known->is_for(target("idp.example.com", 8443), "")) << "a rule without a credential";
    EXPECT_FALSE(known->is_for(target("idp.example.com", 8443), "other")) << "a rule with another one";
    EXPECT_FALSE(known->is_for(target("idp.example.com"), "idp")) << "another port";
    EXPECT_FALSE(known->is_for(target("api.example.com", 8443), "idp"));
    EXPECT_FALSE(known->is_for(target("idp.example.com", 8443, policy::Scheme::http), "idp"));
}

TEST(Captured, GoesToTheHostsOfItsRuleAndOfItsHref)
{
    Kept kept;
    kept.rule.hosts = {policy::HostPattern::parse(".example.com").value()};
    const auto* const hosts = kept.keep(value).value();
    EXPECT_TRUE(hosts->is_for(target("api.example.com"), ""));
    EXPECT_TRUE(hosts->is_for(target("api.example.com", 8443), "")) << "the port that answered, too";
    EXPECT_FALSE(hosts->is_for(target("api.example.com", 444), ""));
    EXPECT_FALSE(hosts->is_for(target("api.example.org"), ""));

    const auto* const refresh = kept.keep_refresh("refresh-value", other).value();
    EXPECT_TRUE(refresh->is_for(target("idp.example.com", 8443), "")) << "for whom it came from alone";
    EXPECT_FALSE(refresh->is_for(target("api.example.com"), ""));

    Kept lfs;
    lfs.rule.at_href = true;
    const auto* const href = lfs.keep(value, one, {}, "https://objects.test:444/x?y").value();
    EXPECT_TRUE(href->is_for(target("objects.test", 444), ""));
    EXPECT_FALSE(href->is_for(target("idp.example.com", 8443), "")) << "only where it is sent to";
    EXPECT_EQ(lfs.keep("another-value", other, {}, "http://objects.test/").error().detail,
              "its credential is for an address that is no https URL");
    EXPECT_TRUE(lfs.keep("another-value", other).value()->is_for(target("idp.example.com", 8443), "")) << "no href";
}

TEST(Captured, LivesAsLongAsTheAnswerSaysAndTheRuleAllows)
{
    Kept kept;
    kept.rule.ttl = 60s;
    EXPECT_EQ(kept.keep("aaaaaaaa", one).value()->ends, kept.now + 60s);
    EXPECT_EQ(kept.keep("bbbbbbbb", other, 5s).value()->ends, kept.now + 5s);
    EXPECT_EQ(kept.keep("bbbbbbbb", other, 1h).value()->ends, kept.now + 60s) << "again, and longer";
    EXPECT_EQ(kept.keep("bbbbbbbb", other, 1s).value()->ends, kept.now + 60s) << "never shorter";
    kept.captured.expire(kept.now + 59s);
    EXPECT_FALSE(kept.captured.behind(one)->value.empty());
    kept.captured.expire(kept.now + 60s);
    EXPECT_TRUE(kept.captured.behind(one)->value.empty());
}

TEST(Captured, OneValueHasOnePlaceholder)
{
    Kept kept;
    kept.rule.at_href = true;
    kept.keep(value, one, {}, "https://a.test/").value();
    const auto* const again = kept.keep(value, other, {}, "https://b.test/").value();
    EXPECT_EQ(again->placeholder, one);
    EXPECT_TRUE(again->is_for(target("a.test"), ""));
    EXPECT_TRUE(again->is_for(target("b.test"), ""));
    EXPECT_EQ(kept.captured.behind(other), nullptr);
    kept.captured.expire(kept.now + 2h);
    EXPECT_EQ(kept.keep(value, other).value()->placeholder, other) << "what is over is not revived";
}

TEST(Captured, ThereIsRoomForSoManyAndTheFirstThatAreOverMakeIt)
{
    Kept kept;
    std::string random(26, '\0');
    for (std::size_t i = 0; i < Captured::most; ++i) {
        random[0] = static_cast<char>(i % 32);
        random[1] = static_cast<char>(i / 32 % 32);
        random[2] = static_cast<char>(i / 1024);
        kept.keep("value-" + std::to_string(i) + "-long", placeholder_of(random), i == 0 ? 1s : 60s).value();
    }
    EXPECT_EQ(kept.keep("one-too-many", other).error().reason, policy::Reason::response_uncapturable);
    kept.now += 1s;
    EXPECT_TRUE(kept.keep("one-too-many", other));
}

std::string injected(const std::string& fields)
{
    Kept kept;
    kept.keep(value).value();
    const auto text = "GET / HTTP/1.1\r\nHost: a.test\r\n" + fields + "\r\n\r\n";
    const auto head = parse_request_head(text).value();
    const auto use = find_captured(head, kept.captured);
    if (!use)
        return "-";
    const auto field = field_of(*use);
    return field.name + ": " + std::string(field.value.reveal());
}

TEST(Captured, StandsWhereServicesLookForACredential)
{
    EXPECT_EQ(injected("Authorization: Bearer " + one), "Authorization: Bearer s3cret-derived");
    EXPECT_EQ(injected("authorization: token " + one), "authorization: token s3cret-derived");
    EXPECT_EQ(injected("Authorization: " + one), "Authorization: s3cret-derived");
    EXPECT_EQ(injected("X-Vault-Token: " + one), "X-Vault-Token: s3cret-derived");
    // "x:EGP_ABCDEFGHIJKLMNOPQRSTUVWXYZ", "x:s3cret-derived"
    EXPECT_EQ(injected("Authorization: basic eDpFR1BfQUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo="),
              "Authorization: Basic eDpzM2NyZXQtZGVyaXZlZA==");
    EXPECT_EQ(injected("Authorization: Bearer " + other), "-");
    EXPECT_EQ(injected("Authorization: Bearer x" + one), "-") << "the whole of it, or nothing";
    EXPECT_EQ(injected("X-Note: " + one), "-") << "what a service stores, it tells";
    EXPECT_EQ(injected("Cookie: " + one), "-");
    EXPECT_EQ(injected("Authorization: Bearer nothing\r\nX-Api-Key: " + one), "X-Api-Key: s3cret-derived");
}

TEST(Captured, PlaceholdersAreOfTheAlphabetThatIsSearchedFor)
{
    std::string random;
    for (int i = 0; i < 26; ++i)
        random.push_back(static_cast<char>(i * 10));
    const auto placeholder = placeholder_of(random);
    EXPECT_EQ(placeholder.size(), core_size);
    std::vector<std::string> cores;
    find_cores("x" + placeholder + "y", [&](std::string_view core) { cores.emplace_back(core); });
    EXPECT_EQ(cores, std::vector<std::string>{placeholder});
}

TEST(Captured, WhatAValueIsMadeOfIsSearchedForToo)
{
    const auto parts = [](std::string_view text) {
        std::string all;
        for (const auto& part : spelled_out(Secret::copy_of(text)))
            all.append(all.empty() ? "" : ", ").append(part.reveal());
        return all;
    };
    EXPECT_EQ(parts("abcdefgh"), "");
    EXPECT_EQ(parts("RemoteAuth abcdefgh"), "abcdefgh");
    EXPECT_EQ(parts("Basic eDpzM2NyZXQtZGVyaXZlZA=="), "eDpzM2NyZXQtZGVyaXZlZA==, s3cret-derived");
    EXPECT_EQ(form_encoded(Secret::copy_of("a/b+c d~")).reveal(), "a%2Fb%2Bc%20d~");
}

TEST(CaptureRules, WellKnownPathsComeUnderThemByThemselves)
{
    const auto count = [](std::string_view method, std::string_view path) {
        return captures_of({}, method, path).size();
    };
    EXPECT_EQ(count("POST", "/team/app.git/info/lfs/objects/batch"), 1U);
    EXPECT_EQ(count("POST", "/team/app.git/info/lfs/objects/Batch/"), 1U) << "read widely";
    EXPECT_EQ(count("POST", "/team//app.git/info/lfs/objects/%2562atch"), 1U) << "an ambiguous one, too";
    EXPECT_EQ(count("POST", "/team//app.git/info/lfs/locks"), 0U);
    for (const auto* const method : {"GET", "POST", "PUT", "PATCH", "DELETE", "post"}) {
        EXPECT_EQ(count(method, "/team/app.git/info/lfs/objects/batch"), 1U) << method;
        EXPECT_EQ(count(method, "/app/installations/7/access_tokens"), 1U) << method;
    }
    EXPECT_EQ(count("POST", "/token"), 0U) << "which of these are token endpoints, the operator knows";
}

TEST(CaptureRules, OfALeaseAreOfItsRequest)
{
    const auto rules = read_capture_rules({{{"/token"}, {".example.com"}, true, 1000}}).value();
    EXPECT_EQ(captures_of(rules, "GET", "/x").size(), 1U);
    EXPECT_EQ(rules.front().ttl, 1s);
    EXPECT_FALSE(read_capture_rules({{{"/token"}, {"not a host"}, true, 1000}}));
}

} // namespace
} // namespace aduana::proxy
