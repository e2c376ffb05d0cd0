// SPDX-License-Identifier: Apache-2.0
// What of a text could be a secret, and what people have to be able to read.
#include "policy/discreet.hpp"

#include <gtest/gtest.h>

namespace aduana::policy {
namespace {

TEST(Discreet, NamesHostsAndPathsAreLeftAsTheyAre)
{
    for (const std::string text : {"hostss",
                                   "issues-api",
                                   "build-1",
                                   "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
                                   "X-Amz-Security-Token",
                                   "eu-west-1",
                                   "api.example.com",
                                   "https://api.example.com:8443/v1/**",
                                   "/@team/app/%2f*",
                                   "2001:db8::1",
                                   "192.0.2.7/24",
                                   "sha256",
                                   "github_app",
                                   "1GiB",
                                   "600/min",
                                   "oauthToken",
                                   "18446744073709551616",
                                   "credentials: [a]",
                                   "",
                                   "did you mean `credentials`? known keys: version, credentials",
                                   "arn:aws:iam::123456789012:role/build",
                                   "node1.rack2.dc3.eu1.example.com",
                                   "=",
                                   "token = {}"})
        EXPECT_EQ(discreet(text), text);
}

TEST(Discreet, WhatIsNoWordIsHidden)
{
    for (const std::string text :
         {"ghp_16C7e42F292c6912E7710c838347Ae178B4a", "sk-live-9f8e7d6c5b4a", "550e8400-e29b-41d4-a716-446655440000",
          "Tok+1s/secret==", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "AKIAIOSFODNN7EXAMPLE",
          "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl", "abcdefghijklmnopqrstuvwxyz", "qHzKpLmWxR"})
        EXPECT_EQ(discreet(text), "...") << text;
}

TEST(Discreet, TheRestOfTheTextStays)
{
    EXPECT_EQ(discreet("API_TOKEN=word"), "API_TOKEN=...");
    EXPECT_EQ(discreet("\"sk-live-9f8e7d6c5b4a\" is not a name"), "\"...\" is not a name");
    EXPECT_EQ(discreet("{sk-live-9f8e7d6c5b4a: x}"), "{...: x}");
    EXPECT_EQ(discreet("http://user:pw@proxy.test:3128"), "http://...@proxy.test:3128");
    EXPECT_EQ(discreet("user:p/w@proxy.test"), "...@proxy.test");
    EXPECT_EQ(discreet("https://api.test/9f8e7d6c5b4a/x"), "https://api.test/.../x");
    EXPECT_EQ(discreet("/v1/9f8e7d6c5b4a"), "/v1/...");
    EXPECT_EQ(discreet("\"abcdefghijklmnopqrstuvwxyz...\""), "\"...\"") << "a text that was cut already";
}

} // namespace
} // namespace aduana::policy
