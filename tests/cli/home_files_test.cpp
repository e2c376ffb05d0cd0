// SPDX-License-Identifier: Apache-2.0
// What each format looks like, and what several credentials make of one file.
#include "cli/home_files.hpp"

#include "policy/load/load.hpp"

#include <boost/json/parse.hpp>

#include <gtest/gtest.h>

namespace aduana::cli {
namespace {

using Placeholders = std::vector<std::pair<std::string, std::string>>;

/// `credentials`: lines below that key.
std::vector<shim::HomeFile> files_of(const std::string& credentials, const Placeholders& placeholders)
{
    const auto declared = policy::load_credentials("version: 1\ncredentials:\n" + credentials, "credentials.yaml");
    if (!declared) {
        ADD_FAILURE() << policy::to_text(declared.error());
        return {};
    }
    return home_files(*declared, placeholders);
}

using Files = std::vector<shim::HomeFile>;

TEST(HomeFiles, NameEachHostThatIsAWholeName)
{
    const auto files = files_of("  npm: {source: {env: A}, destinations: [{hosts: [a.test, .b.test, \"::1\"]}, {hosts: "
                                "[a.test], ports: [443, 8443]}], inject: {bearer: {}}, placeholder: {env: [T], files: "
                                "[npmrc, netrc, docker]}}\n",
                                {{"OTHER", "ph_other"}, {"T", "ph_1"}});
    EXPECT_EQ(files, (Files{{".npmrc", "//a.test/:_authToken=ph_1\n//[::1]/:_authToken=ph_1\n"
                                       "//a.test:8443/:_authToken=ph_1\n"},
                            {".netrc", "machine a.test login aduana password ph_1\n"
                                       "machine ::1 login aduana password ph_1\n"},
                            {".docker/config.json",
                             R"({"auths":{"a.test":{"auth":"YWR1YW5hOnBoXzE="},"[::1]":{"auth":"YWR1YW5hOnBoXzE="},)"
                             R"("a.test:8443":{"auth":"YWR1YW5hOnBoXzE="}}})"
                             "\n"}}));
}

TEST(HomeFiles, PutSeveralCredentialsIntoOneFile)
{
    const auto files =
        files_of("  a: {source: {env: A}, destinations: [{hosts: [a.test]}], inject: {basic: {user: me}}, placeholder: "
                 "{env: [A1], files: [netrc, docker]}}\n"
                 "  b: {source: {env: B}, destinations: [{hosts: [b.test]}], inject: {bearer: {}}, placeholder: {env: "
                 "[B1], files: [netrc, docker]}}\n",
                 {{"A1", "ph_a"}, {"B1", "ph_b"}});
    EXPECT_EQ(files, (Files{{".netrc", "machine a.test login me password ph_a\nmachine b.test login aduana password "
                                       "ph_b\n"},
                            {".docker/config.json", R"({"auths":{"a.test":{"auth":"bWU6cGhfYQ=="},)"
                                                    R"("b.test":{"auth":"YWR1YW5hOnBoX2I="}}})"
                                                    "\n"}}));
}

TEST(HomeFiles, GiveGoogleAServiceAccountWithAKeyOfItsOwn)
{
    const std::string line =
        "  g: {source: {env: A}, destinations: [{hosts: [a.test]}], inject: {bearer: {}}, placeholder: "
        "{env: [T], metadata: gcp, files: [gcp]}}\n";
    const auto files = files_of(line, {{"T", "ph_1"}});
    ASSERT_EQ(files.size(), 1U);
    EXPECT_EQ(files[0].path, ".config/gcloud/application_default_credentials.json");
    const auto account = boost::json::parse(files[0].content).as_object();
    EXPECT_EQ(account.at("type"), "service_account");
    EXPECT_EQ(account.at("token_uri"), "http://169.254.169.254/aduana/token");
    const std::string key(account.at("private_key").as_string());
    EXPECT_TRUE(key.starts_with("-----BEGIN PRIVATE KEY-----\n")) << key;
    EXPECT_EQ(files[0].content.find("ph_1"), std::string::npos) << "it is asked for";
    EXPECT_NE(files_of(line, {{"T", "ph_1"}})[0].content, files[0].content);
}

TEST(HomeFiles, GiveAwsItsDefaultProfile)
{
    const std::string line =
        "  s3: {source: {env: A}, destinations: [{hosts: [s3.test]}], placeholder: {aws_env: X, files: "
        "[aws]}, inject: {sigv4: {services: [s3], regions: ";
    const Placeholders values{{"X_ACCESS_KEY_ID", "AKIA1"}, {"X_SECRET_ACCESS_KEY", "s"}, {"X_SESSION_TOKEN", "t"}};
    const auto one = files_of(line + "[eu-west-1]}}}\n", values);
    EXPECT_EQ(one, (Files{{".aws/credentials", "[default]\naws_access_key_id = AKIA1\naws_secret_access_key = s\n"
                                               "aws_session_token = t\n"},
                          {".aws/config", "[default]\nregion = eu-west-1\n"}}));
    const auto several = files_of(line + "[eu-west-1, us-east-1]}}}\n", values);
    ASSERT_EQ(several.size(), 2U);
    EXPECT_EQ(several[1].content, "[default]\n");
}

TEST(HomeFiles, FillEverySlotOfATextAndLeaveTheRestAsItIs)
{
    const auto files = files_of("  a: {source: {env: A}, destinations: [{hosts: [.a.test]}], inject: {bearer: {}}, "
                                "placeholder: {env: [T], files: [{path: .x/y, content: \"{a: '{}', b: '{}'}\\n\"}]}}\n",
                                {{"T", "ph_{}"}});
    EXPECT_EQ(files, (Files{{".x/y", "{a: 'ph_{}', b: 'ph_{}'}\n"}}));
}

TEST(HomeFiles, AreNotWrittenForACredentialWithoutAPlaceholderInThisTask)
{
    EXPECT_TRUE(
        files_of("  a: {source: {env: A}, destinations: [{hosts: [a.test]}], inject: {bearer: {}}, placeholder: "
                 "{env: [T], files: [npmrc]}}\n",
                 {{"OTHER", "ph_1"}})
            .empty());
}

} // namespace
} // namespace aduana::cli
