// SPDX-License-Identifier: Apache-2.0
// Which placeholders are on their way to a wrong place.
#include "proxy/core/placeholders.hpp"

#include "proxy/core/head_parser.hpp"

#include <gtest/gtest.h>

namespace aduana::proxy {
namespace {

const std::string issues = "iss_EGP_ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const std::string npm = "EGP_22222222222222222222222222";
const std::string strange = "EGP_77777777777777777777777777";

Placeholders known()
{
    return Placeholders({{"issues", issues}, {"npm", npm, Unbound::pass, Unbound::refuse}});
}

std::string text_of(const std::vector<Sighting>& seen)
{
    std::string text;
    for (const auto& [credential, place, verdict] : seen)
        text.append(text.empty() ? "" : ", ")
            .append(credential.empty() ? "a foreign one" : credential)
            .append(" in ")
            .append(place)
            .append(verdict == Unbound::pass ? " passes" : "");
    return text;
}

std::string seen_in(const std::string& target, const std::string& fields, std::string_view bound = "")
{
    const std::string bytes = "GET " + target + " HTTP/1.1\r\nHost: api.example.com\r\n" + fields + "\r\n";
    const auto head = parse_request_head(bytes);
    EXPECT_TRUE(head);
    const auto question = target.find('?');
    const Target parsed{policy::Scheme::https, policy::Host::parse("api.example.com").value(), 443,
                        std::string_view(target).substr(0, question),
                        question == std::string::npos ? std::string_view() : std::string_view(target).substr(question)};
    return text_of(find_unbound(*head, parsed, known(), bound));
}

TEST(Placeholders, BelongToACredential)
{
    const auto all = known();
    EXPECT_EQ(all.of("issues"), issues);
    EXPECT_EQ(all.of("other"), "");
    ASSERT_NE(all.with_core(issues.substr(4)), nullptr);
    EXPECT_EQ(all.with_core(issues.substr(4))->credential, "issues");
    EXPECT_EQ(all.with_core(strange), nullptr);
}

TEST(Placeholders, AreSeenInEveryPartOfAHead)
{
    EXPECT_EQ(seen_in("/", "Accept: */*\r\n"), "");
    EXPECT_EQ(seen_in("/x/" + issues, ""), "issues in path");
    EXPECT_EQ(seen_in("/?k=" + issues, ""), "issues in query");
    EXPECT_EQ(seen_in("/?k=%45GP_" + issues.substr(8), ""), "issues in query");
    EXPECT_EQ(seen_in("/", "Authorization: Bearer " + issues + "\r\n"), "issues in head");
    EXPECT_EQ(seen_in("/", issues + ": 1\r\n"), "issues in head");
    EXPECT_EQ(seen_in("/", "Cookie: a=" + issues + "\r\n"), "issues in head");
    // "user:EGP_ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    EXPECT_EQ(seen_in("/", "Authorization: bAsIc dXNlcjpFR1BfQUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo=\r\n"),
              "issues in head");
    EXPECT_EQ(seen_in("/" + npm + "?" + npm, ""), "npm in path passes, npm in query passes");
    EXPECT_EQ(seen_in("/", "X-A: " + issues + "\r\nX-B: " + issues + "\r\nX-C: " + strange + "\r\n"),
              "issues in head, a foreign one in head");
}

TEST(Placeholders, AreAtHomeWhereTheirCredentialIsBound)
{
    EXPECT_EQ(seen_in("/" + issues + "?" + issues, "X-A: " + issues + "\r\n", "issues"), "");
    EXPECT_EQ(seen_in("/" + issues, "", "npm"), "issues in path") << "each at its own destination only";
    EXPECT_EQ(seen_in("/" + strange, "", "issues"), "a foreign one in path");
}

TEST(Placeholders, MayBeToldByAPageThatAnotherLinksTo)
{
    EXPECT_EQ(seen_in("/", "Referer: https://bound.example.com/?k=" + issues + "\r\n"), "");
    EXPECT_TRUE(tells_placeholder("referer", "https://bound.example.com/?k=" + issues));
    EXPECT_FALSE(tells_placeholder("Referer", "https://bound.example.com/"));
    EXPECT_FALSE(tells_placeholder("X-Referer", issues));
}

TEST(Placeholders, RefusalsNameTheCredentialAndThePlace)
{
    EXPECT_EQ(failure_of({"issues", "query"}).reason, policy::Reason::placeholder_unbound);
    EXPECT_EQ(failure_of({"issues", "query"}).detail, "the placeholder of credential issues stands in the query of its "
                                                      "target, and the credential is not for this request");
    EXPECT_EQ(failure_of({"", "head"}).reason, policy::Reason::placeholder_foreign);
    EXPECT_EQ(failure_of({"", "head"}).detail, "a placeholder of another task stands in its head");
}

TEST(Placeholders, AreWatchedForInBodies)
{
    const auto all = known();
    const Target target{policy::Scheme::https, policy::Host::parse("api.example.com").value(), 443, "/", ""};
    BodyWatch watch(all, target, "");
    watch.feed("x=" + issues.substr(0, 20));
    EXPECT_EQ(text_of(watch.seen()), "");
    watch.feed(issues.substr(20) + "&y=" + issues + "&z=" + strange);
    EXPECT_EQ(text_of(watch.seen()), "issues in body passes, a foreign one in body passes");
    EXPECT_FALSE(watch.refuses());
    watch.feed(npm);
    EXPECT_TRUE(watch.refuses());
    BodyWatch at_home(all, target, "npm");
    at_home.feed(npm);
    EXPECT_EQ(text_of(at_home.seen()), "");
    EXPECT_FALSE(at_home.refuses());
}

} // namespace
} // namespace aduana::proxy
