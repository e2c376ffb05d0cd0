// SPDX-License-Identifier: Apache-2.0
// The broker's own bound: every part has to fit.
#include "policy/credentials.hpp"

#include <gtest/gtest.h>

namespace aduana::policy {
namespace {

const Host api = *Host::parse("api.example.com");

CredentialBound bound_to_api()
{
    CredentialBound bound;
    bound.hosts = {*HostPattern::parse("api.example.com"), *HostPattern::parse(".internal.test")};
    bound.ports = {443, 8443};
    bound.methods = {"GET", "POST"};
    bound.paths = {*PathPattern::parse("/v1/**")};
    return bound;
}

TEST(CredentialBound, CoversWhatFitsInEveryPart)
{
    EXPECT_TRUE(covers(bound_to_api(), api, 443, {"GET", "/v1/issues"}));
    EXPECT_TRUE(covers(bound_to_api(), *Host::parse("x.internal.test"), 8443, {"POST", "/v1"}));
}

TEST(CredentialBound, CoversNothingThatMissesAPart)
{
    EXPECT_FALSE(covers(bound_to_api(), *Host::parse("evil.test"), 443, {"GET", "/v1/issues"})) << "host";
    EXPECT_FALSE(covers(bound_to_api(), *Host::parse("internal.test"), 443, {"GET", "/v1/issues"})) << "bare domain";
    EXPECT_FALSE(covers(bound_to_api(), api, 80, {"GET", "/v1/issues"})) << "port";
    EXPECT_FALSE(covers(bound_to_api(), api, 443, {"DELETE", "/v1/issues"})) << "method";
    EXPECT_FALSE(covers(bound_to_api(), api, 443, {"get", "/v1/issues"})) << "methods are case-sensitive";
    EXPECT_FALSE(covers(bound_to_api(), api, 443, {"GET", "/v2/issues"})) << "path";
    EXPECT_FALSE(covers(bound_to_api(), api, 443, {"GET", "/v1/../v2"})) << "ambiguous path";
    EXPECT_FALSE(covers(bound_to_api(), api, 443, {"GET", "*"})) << "no path";
}

TEST(CredentialBound, WithoutPortsCoversHttpsOnly)
{
    CredentialBound bound = bound_to_api();
    bound.ports.clear();
    EXPECT_TRUE(covers(bound, api, 443, {"GET", "/v1"}));
    EXPECT_FALSE(covers(bound, api, 8443, {"GET", "/v1"}));
    EXPECT_FALSE(covers(bound, api, 80, {"GET", "/v1"}));
}

TEST(CredentialBound, WithoutMethodsAndPathsCoversAllButTheEchoingOnes)
{
    CredentialBound bound = bound_to_api();
    bound.methods.clear();
    bound.paths.clear();
    EXPECT_TRUE(covers(bound, api, 443, {"PROPFIND", "/any"}));
    EXPECT_TRUE(covers(bound, api, 443, {"OPTIONS", "*"}));
    EXPECT_FALSE(covers(bound, api, 443, {"TRACE", "/any"}));
    EXPECT_FALSE(covers(bound, api, 443, {"CONNECT", "/any"}));
}

TEST(CredentialBound, WithoutHostsCoversNothing)
{
    EXPECT_FALSE(covers(CredentialBound{}, api, 443, {"GET", "/"}));
}

} // namespace
} // namespace aduana::policy
