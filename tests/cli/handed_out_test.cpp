// SPDX-License-Identifier: Apache-2.0
// The variables that clients of `aduana listen` are given.
#include "cli/handed_out.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace aduana::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(HandedOutEnvironment, PointsToTheProxyAndTheBundleOfThisMachine)
{
    const auto lines = environment_lines({.folder = "/run/x", .proxy = "127.0.0.1:3128"}, {{"TOKEN", "ph_1"}});
    for (const char* line :
         {"HTTPS_PROXY=http://127.0.0.1:3128\n", "http_proxy=http://127.0.0.1:3128\n",
          "SSL_CERT_FILE=/run/x/ca-bundle.pem\n", "NO_PROXY=localhost,127.0.0.1,::1\n", "TOKEN=ph_1\n"})
        EXPECT_THAT(lines, HasSubstr(line));
}

TEST(HandedOutEnvironment, HasNothingOfASandbox)
{
    const auto lines = environment_lines({.folder = "/run/x", .proxy = "127.0.0.1:3128"}, {});
    for (const char* of_a_sandbox : {"198.18.0.1", "/etc/ssl/certs", "\nPATH=", "HOME=", "/home/sandbox"})
        EXPECT_THAT(lines, Not(HasSubstr(of_a_sandbox)));
}

TEST(HandedOutEnvironment, WithoutAProxyListenerNamesNone)
{
    const auto lines = environment_lines({.folder = "/run/x", .proxy = {}}, {});
    EXPECT_THAT(lines, HasSubstr("SSL_CERT_FILE="));
    EXPECT_THAT(lines, Not(HasSubstr("proxy")));
    EXPECT_THAT(lines, Not(HasSubstr("PROXY")));
}

} // namespace
} // namespace aduana::cli
