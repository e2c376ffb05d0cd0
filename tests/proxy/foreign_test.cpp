// SPDX-License-Identifier: Apache-2.0
// Which credentials of a client are somebody else's.
#include "proxy/core/foreign.hpp"

#include "proxy/core/basic.hpp"
#include "proxy/core/head_parser.hpp"

#include <gtest/gtest.h>

namespace aduana::proxy {
namespace {

using broker::EditOp;

const std::string holder = "sk-EGP_ABCDEFGHIJKLMNOPQRSTUVWXYZ";

broker::Lease bearer()
{
    broker::Lease lease;
    lease.fields.push_back({"Authorization", Secret::copy_of("Bearer value")});
    return lease;
}

broker::Lease edited(EditOp op, const std::string& name)
{
    broker::Lease lease;
    lease.edits.push_back({op, name, Secret::copy_of("value")});
    return lease;
}

std::string foreign(const broker::Lease& lease, const std::string& fields, std::string_view query = "",
                    std::string_view placeholder = holder)
{
    const std::string bytes = "GET /p HTTP/1.1\r\nHost: api.example.com\r\n" + fields + "\r\n";
    const auto head = parse_request_head(bytes);
    EXPECT_TRUE(head);
    const Target target{policy::Scheme::https, policy::Host::parse("api.example.com").value(), 443, "/p", query};
    const auto found = find_foreign(*head, target, lease, placeholder);
    return found ? found->place + (found->replaceable ? "" : " (stays)") : "none";
}

std::string basic(std::string_view user, std::string_view password)
{
    return "Authorization: " + std::string(write_basic(user, password).reveal()) + "\r\n";
}

TEST(Foreign, NothingAndThePlaceholderAreTheClientsToSend)
{
    EXPECT_EQ(foreign(bearer(), ""), "none");
    EXPECT_EQ(foreign(bearer(), "Authorization: \r\n"), "none");
    for (const auto* scheme : {"", "Bearer ", "token ", "Key  "})
        EXPECT_EQ(foreign(bearer(), "Authorization: " + std::string(scheme) + holder + "\r\n"), "none");
    EXPECT_EQ(foreign(bearer(), basic("x-access-token", holder)), "none");
    EXPECT_EQ(foreign(bearer(), basic(holder, "x-oauth-basic")), "none");
    EXPECT_EQ(foreign(bearer(), "X-Api-Key: " + holder + "\r\nCookie: a=1\r\nAccept: */*\r\n"), "none");
}

TEST(Foreign, EveryOtherCredentialIsSomebodyElses)
{
    EXPECT_EQ(foreign(bearer(), "Authorization: Bearer mine\r\n"), "Authorization");
    EXPECT_EQ(foreign(bearer(), "authorization: " + holder + "x\r\n"), "authorization");
    EXPECT_EQ(foreign(bearer(), "Authorization: Bearer " + holder + " mine\r\n"), "Authorization");
    EXPECT_EQ(foreign(bearer(), "Authorization: Bearer " + holder + "\r\nAuthorization: Bearer mine\r\n"),
              "Authorization");
    EXPECT_EQ(foreign(bearer(), "Authorization: AWS4-HMAC-SHA256 Credential=AKIA/x, Signature=0\r\n"), "Authorization");
    EXPECT_EQ(foreign(bearer(), basic("user", "mine")), "Authorization");
    EXPECT_EQ(foreign(bearer(), "x_api_key: mine\r\n"), "x_api_key");
    EXPECT_EQ(foreign(bearer(), "Private-Token: mine\r\n"), "Private-Token");
    EXPECT_EQ(foreign(bearer(), "Authorization: Bearer " + holder + "\r\n", "", ""), "Authorization")
        << "without a placeholder there is none to send";
    broker::Lease header;
    header.fields.push_back({"X-Service-Key", Secret::copy_of("value")});
    EXPECT_EQ(foreign(header, "X-Service-Key: mine\r\n"), "X-Service-Key");
    EXPECT_EQ(foreign(bearer(), "X-Service-Key: mine\r\n"), "none");
}

TEST(Foreign, ParametersAreLookedAtWhereTheyAreCredentials)
{
    const auto lease = edited(EditOp::query, "key");
    EXPECT_EQ(foreign(lease, "", "?a=1"), "none");
    EXPECT_EQ(foreign(lease, "", "?key=" + holder), "none");
    EXPECT_EQ(foreign(lease, "", "?key="), "none");
    EXPECT_EQ(foreign(lease, "", "?key=mine"), "the parameter key of its query");
    EXPECT_EQ(foreign(lease, "", "?a=1&K%45Y=mine"), "the parameter key of its query");
    EXPECT_EQ(foreign(bearer(), "", "?key=mine"), "none");
    EXPECT_EQ(foreign(bearer(), "", "?access_token=mine"), "the parameter access_token of its query (stays)");
    EXPECT_EQ(foreign(bearer(), "", "?x=1&X-Amz-Signature=00"), "the parameter X-Amz-Signature of its query (stays)");
}

TEST(Foreign, SignedUrlsAreCredentials)
{
    EXPECT_EQ(foreign(bearer(), "", "?AWSAccessKeyId=AKIA&Expires=1&Signature=x"),
              "the parameter AWSAccessKeyId of its query (stays)");
    EXPECT_EQ(foreign(bearer(), "", "?Expires=1&Key-Pair-Id=K"), "the parameter Key-Pair-Id of its query (stays)");
    EXPECT_EQ(foreign(bearer(), "", "?sv=2024-11-04&se=2030-01-01&sr=b&sig=x%2F"),
              "the parameter sig of its query (stays)");
    EXPECT_EQ(foreign(bearer(), "", "?sv=2022-11-02&si=policy&sr=c&sig=x"), "the parameter sig of its query (stays)");
    EXPECT_EQ(foreign(bearer(), "", "?tn=table&sv=2022-11-02&si=x&sig=x"), "the parameter sig of its query (stays)");
    EXPECT_EQ(foreign(bearer(), "", "?sig=x"), "none") << "a parameter like any other";
    EXPECT_EQ(foreign(bearer(), "", "?sv=1&sig=x"), "none");
}

TEST(Foreign, TheCookieOfTheLeaseIsLookedAt)
{
    const auto lease = edited(EditOp::cookie, "session");
    EXPECT_EQ(foreign(lease, "Cookie: a=1; session=" + holder + "\r\n"), "none");
    EXPECT_EQ(foreign(lease, "Cookie: a=1; Session=mine\r\n"), "the cookie session");
}

} // namespace
} // namespace aduana::proxy
