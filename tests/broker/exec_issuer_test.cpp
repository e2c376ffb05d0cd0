// SPDX-License-Identifier: Apache-2.0
// What is run, and what of its output is believed.
#include "broker/mint/exec.hpp"

#include "tests/broker/mint.hpp"

namespace aduana::broker {
namespace {

using namespace mint;
using policy::ExecOutput;

std::unique_ptr<Issuer> issuer(ExecOutput output)
{
    return std::make_unique<ExecIssuer>(policy::ExecSource{{"/usr/libexec/mint", "a b"}, {{"HOME", "/x"}}, output});
}

Step print(ExecOutput output, std::string_view text)
{
    return issuer(output)->printed({{}, Secret::copy_of(text)}, World().context());
}

TEST(ExecIssuer, RunsTheCommandWithTheDeclaredEnvironmentAndLittleElse)
{
    auto step = issuer(ExecOutput::json)->begin(World().context());
    const auto* run = std::get_if<broker::Run>(&step);
    ASSERT_NE(run, nullptr);
    EXPECT_EQ(run->command, (std::vector<std::string>{"/usr/libexec/mint", "a b"}));
    EXPECT_EQ(run->environment,
              (std::vector<std::string>{"HOME=/x", "PATH=/usr/local/bin:/usr/bin:/bin", "ADUANA_TASK=demo"}));
}

TEST(ExecIssuer, LeavesAPathThatIsDeclaredAlone)
{
    ExecIssuer made({{"/bin/mint"}, {{"PATH", "/opt/bin"}}, ExecOutput::line});
    auto step = made.begin(World().context());
    ASSERT_TRUE(std::holds_alternative<broker::Run>(step));
    EXPECT_EQ(std::get<broker::Run>(step).environment, (std::vector<std::string>{"PATH=/opt/bin", "ADUANA_TASK=demo"}));
}

TEST(ExecIssuer, TakesAValueWithTheEndThatComesFirst)
{
    struct Case {
        const char* sentence;
        const char* text;
        std::optional<std::chrono::seconds> lifetime;
    };
    using std::chrono::seconds;
    const std::vector<Case> cases = {
        {"no end is said", R"({"value": "printed-value"})", std::nullopt},
        {"seconds", R"({"value": "printed-value", "expires_in": 120})", seconds(120)},
        {"a time", R"({"value": "printed-value", "expires_at": "2026-03-01T12:05:00Z"})", seconds(300)},
        {"the time is first", R"({"value": "printed-value", "expires_in": 900, "expires_at": "2026-03-01T12:05:00Z"})",
         seconds(300)},
        {"the seconds are first",
         R"({"value": "printed-value", "expires_in": 9, "expires_at": "2026-03-01T12:05:00Z", "more": {}})",
         seconds(9)},
    };
    for (const auto& test : cases) {
        SCOPED_TRACE(test.sentence);
        const auto issued = step_of<Issued>(print(ExecOutput::json, test.text));
        EXPECT_EQ(token_of(issued), "printed-value");
        EXPECT_EQ(issued.lifetime, test.lifetime);
    }
}

TEST(ExecIssuer, TakesOneLine)
{
    for (const auto* text : {"printed-value", "printed-value\n", "printed-value\r\n"})
        EXPECT_EQ(token_of(step_of<Issued>(print(ExecOutput::line, text))), "printed-value");
}

TEST(ExecIssuer, TakesTheKeysOfACredentialProcess)
{
    const auto issued = step_of<Issued>(
        print(ExecOutput::aws, R"({"Version": 1, "AccessKeyId": "ASIAEXAMPLE0", "SecretAccessKey": "secret-key-1",)"
                               R"("SessionToken": "session-1", "Expiration": "2026-03-01T12:10:00Z"})"));
    const auto* keys = std::get_if<AwsKeys>(&issued.value);
    ASSERT_NE(keys, nullptr);
    EXPECT_EQ(keys->access_key_id, "ASIAEXAMPLE0");
    EXPECT_EQ(keys->secret_access_key.reveal(), "secret-key-1");
    EXPECT_EQ(keys->session_token.reveal(), "session-1");
    EXPECT_EQ(issued.lifetime, std::chrono::seconds(600));
}

TEST(ExecIssuer, RefusesWhatIsNoValueAndQuotesNothingOfIt)
{
    struct Case {
        ExecOutput output;
        const char* text;
        const char* told;
    };
    const std::vector<Case> cases = {
        {ExecOutput::json, "hunter2hunter2", "something else than one JSON object"},
        {ExecOutput::json, R"(["hunter2hunter2"])", "something else than one JSON object"},
        {ExecOutput::json, R"({"token": "hunter2hunter2"})", "its `value` is missing"},
        {ExecOutput::json, R"({"value": "hunter2 hunter2"})", "holds a space"},
        {ExecOutput::json, R"({"value": "hunter2"})", "has 7 bytes"},
        {ExecOutput::json, R"({"value": "hunter2hunter2", "expires_in": "soon"})", "is no number of seconds"},
        {ExecOutput::json, R"({"value": "hunter2hunter2", "expires_at": "2026-03-01T11:00:00Z"})", "has expired"},
        {ExecOutput::json, R"({"value": "hunter2hunter2", "expires_at": 5})", "has expired already, or no time at all"},
        {ExecOutput::line, "hunter2hunter2\nhunter2hunter2\n", "something else than one line"},
        {ExecOutput::line, "", "something else than one line"},
        {ExecOutput::line, "hunter2 hunter2", "something else than one line"},
        {ExecOutput::aws, R"({"Version": 2, "AccessKeyId": "hunter2hunter2"})", "another version"},
        {ExecOutput::aws, R"({"Version": 1, "AccessKeyId": "hunter2hunter2"})", "`SecretAccessKey` is missing"},
    };
    for (const auto& test : cases) {
        SCOPED_TRACE(test.text);
        auto step = print(test.output, test.text);
        const auto* denied = std::get_if<Denied>(&step);
        ASSERT_NE(denied, nullptr);
        EXPECT_NE(denied->detail.find(test.told), std::string::npos) << denied->detail;
        EXPECT_EQ((denied->detail + denied->remedy).find("hunter2"), std::string::npos);
    }
}

TEST(ExecIssuer, IsAskedAgainAfterAFailure)
{
    auto step = issuer(ExecOutput::line)->printed({"failed with exit status 1", {}}, World().context());
    ASSERT_TRUE(std::holds_alternative<Denied>(step));
    EXPECT_EQ(std::get<Denied>(step).kind, Denied::Kind::transient);
    EXPECT_EQ(std::get<Denied>(step).detail, "the program /usr/libexec/mint failed with exit status 1");
}

} // namespace
} // namespace aduana::broker
