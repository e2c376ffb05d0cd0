// SPDX-License-Identifier: Apache-2.0
// Opening a task: what is wrong with the files or the values is told at once, and nothing is half open.
#include "broker/core/task.hpp"

#include "tests/broker/samples.hpp"

namespace aduana::broker {
namespace {

Refused refusal_of(const TaskOpen& request, const Material& material)
{
    const auto task = open_task(request, material);
    EXPECT_FALSE(task);
    return task ? Refused{} : task.error();
}

TEST(OpenTask, AdmitsTheValuesThatThePolicyNeeds)
{
    const auto task = open_task(samples::task_open(), samples::material());
    ASSERT_TRUE(task) << task.error().detail;
    ASSERT_NE(task->vault.find("issues-api"), nullptr);
    EXPECT_EQ(task->vault.find("issues-api")->reveal(), samples::issues_value);
    ASSERT_NE(task->vault.find("npm"), nullptr);
    EXPECT_EQ(task->vault.find("npm")->reveal(), samples::npm_value);
    EXPECT_EQ(task->vault.find("unused"), nullptr);
}

TEST(OpenTask, TellsTheMistakesOfBothFilesAtOnce)
{
    auto material = samples::material();
    material.credentials_text = "version: 1\ncredentials: 7\n";
    material.policy_text = "version: 1\nallow: 7\n";
    const auto refused = refusal_of(samples::task_open(), material);
    EXPECT_EQ(refused.code, RefusalCode::invalid_file);
    EXPECT_NE(refused.detail.find("credentials.yaml:2:"), std::string::npos) << refused.detail;
    EXPECT_NE(refused.detail.find("policy.yaml:2:"), std::string::npos) << refused.detail;
}

TEST(OpenTask, TellsThatARuleNamesAnUndeclaredCredential)
{
    auto material = samples::material();
    material.policy_text = "version: 1\nallow:\n  - {name: a, hosts: [api.example.com], credential: missing}\n";
    const auto refused = refusal_of(samples::task_open(), material);
    EXPECT_EQ(refused.code, RefusalCode::invalid_file);
    EXPECT_NE(refused.detail.find("policy.yaml:3:"), std::string::npos) << refused.detail;
    EXPECT_NE(refused.detail.find("missing"), std::string::npos) << refused.detail;
}

TEST(OpenTask, AFileThatWasNotHandedOverIsNamed)
{
    auto request = samples::task_open();
    request.file_sources.clear();
    const auto refused = refusal_of(request, samples::material());
    EXPECT_EQ(refused.code, RefusalCode::source_unavailable);
    EXPECT_EQ(refused.detail,
              "credential 'issues-api': its source file /etc/aduana/secrets/issues was not handed over; "
              "can the caller read it?");
}

TEST(OpenTask, AFileThatCouldNotBeReadIsNamed)
{
    auto material = samples::material();
    material.files[0] = Error{"it cannot be read: Is a directory", "name a file"};
    const auto refused = refusal_of(samples::task_open(), material);
    EXPECT_EQ(refused.code, RefusalCode::source_unavailable);
    EXPECT_EQ(refused.detail, "credential 'issues-api': its source file /etc/aduana/secrets/issues: it cannot be read: "
                              "Is a directory; name a file");
}

TEST(OpenTask, AFileThatNoRuleNeedsMayBeUnreadable)
{
    auto request = samples::task_open();
    request.file_sources.emplace_back("unused");
    auto material = samples::material();
    material.files.emplace_back(Error{"it cannot be read"});
    EXPECT_TRUE(open_task(request, material));
}

TEST(OpenTask, AnUnsetVariableIsNamed)
{
    auto request = samples::task_open();
    request.environment.clear();
    const auto refused = refusal_of(request, samples::material());
    EXPECT_EQ(refused.code, RefusalCode::source_unavailable);
    EXPECT_EQ(refused.detail,
              "credential 'npm': its source, the environment variable NPM_SECRET, is not set; set it for "
              "the command that starts the task");
}

TEST(OpenTask, AValueThatCannotBeInjectedStopsTheTask)
{
    auto material = samples::material();
    material.files[0] = Secret::copy_of("sesame with spaces");
    const auto refused = refusal_of(samples::task_open(), material);
    EXPECT_EQ(refused.code, RefusalCode::source_unavailable);
    EXPECT_EQ(refused.detail, "credential 'issues-api': its value has a space at byte 7 of 18; store the bare value: "
                              "visible ASCII only, on one line");
}

} // namespace
} // namespace aduana::broker
