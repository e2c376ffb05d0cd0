// SPDX-License-Identifier: Apache-2.0
// Opening a task: what is wrong with the files or the values is told at once, and nothing is half open.
#include "broker/core/task.hpp"

#include "broker/sealed/sealed_secret.hpp"

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

/// The samples with `issues-api` out of the sealed store.
struct SealedCase {
    explicit SealedCase(const SealedRestrictions& restrictions)
    {
        auto text = std::string(samples::credentials_text);
        text.replace(text.find("{file: /etc/aduana/secrets/issues}"), 34, "{secret: issues}");
        material.credentials_text = text;
        material.now = std::chrono::sys_seconds(std::chrono::seconds(1772366400));
        const auto keys = make_store_keys();
        const auto box = seal({"issues", restrictions, Secret::copy_of(samples::issues_value)}, keys.public_key);
        material.files[0] = Secret::copy_of(*box);
        material.files.emplace_back(keys.private_key.duplicate());
        request.file_sources.emplace_back(store_key_source);
    }
    TaskOpen request = samples::task_open();
    Material material = samples::material();
};

TEST(OpenTask, OpensASealedSecret)
{
    const SealedCase sealed({});
    const auto task = open_task(sealed.request, sealed.material);
    ASSERT_TRUE(task) << task.error().detail;
    EXPECT_EQ(task->vault.find("issues-api")->reveal(), samples::issues_value);
}

TEST(OpenTask, ASealedSecretNarrowsWhatIsDeclared)
{
    const SealedCase sealed({{"api.example.com"}, {"demo"}, {}, std::chrono::seconds(60)});
    const auto task = open_task(sealed.request, sealed.material);
    ASSERT_TRUE(task) << task.error().detail;
    EXPECT_EQ(task->grants.credentials().at("issues-api").lease.ttl, std::chrono::seconds(60));
    const auto other = SealedCase({{"other.example.com"}, {}, {}, {}});
    const auto refused = refusal_of(other.request, other.material);
    EXPECT_EQ(refused.code, RefusalCode::source_unavailable);
    EXPECT_EQ(refused.detail,
              "credential 'issues-api': the sealed secret issues: it is sealed for other hosts than its "
              "`destinations`: other.example.com; correct `destinations`, or store it again with other "
              "hosts");
}

TEST(OpenTask, ASealedSecretOfAnotherTaskOrTimeStopsTheTask)
{
    const auto said = [](const SealedRestrictions& restrictions) {
        const SealedCase sealed(restrictions);
        return refusal_of(sealed.request, sealed.material).detail;
    };
    EXPECT_NE(said({{}, {"other"}, {}, {}}).find("it is not sealed for the task demo"), std::string::npos);
    EXPECT_NE(said({{}, {}, std::chrono::sys_seconds(std::chrono::seconds(1)), {}}).find("its time is over"),
              std::string::npos);
}

TEST(OpenTask, ABoxWithoutItsKeyOrUnderAnotherNameIsRefused)
{
    SealedCase without({});
    without.request.file_sources.pop_back();
    EXPECT_EQ(refusal_of(without.request, without.material).detail,
              "credential 'issues-api': the key of the secret store was not handed over; can the caller read it?");
    SealedCase moved({});
    moved.material.credentials_text.replace(moved.material.credentials_text.find("secret: issues"), 14,
                                            "secret: others");
    EXPECT_NE(refusal_of(moved.request, moved.material).detail.find("it was stored under another name"),
              std::string::npos);
}

TEST(WithinTime, EndWithTheSealedSecret)
{
    using namespace std::chrono_literals;
    const SealedCase sealed({{}, {}, std::chrono::sys_seconds(1772366400s) + 100s, {}});
    auto task = open_task(sealed.request, sealed.material);
    ASSERT_TRUE(task) << task.error().detail;
    task->opened = Instant(1000s);
    const auto& declaration = task->grants.credentials().at("issues-api");
    EXPECT_EQ(within_time(*task, declaration, declaration.lease, Instant(1000s))->ttl, 100s);
    EXPECT_EQ(within_time(*task, declaration, declaration.lease, Instant(1099s))->ttl, 1s);
    const auto over = within_time(*task, declaration, declaration.lease, Instant(1100s));
    ASSERT_FALSE(over);
    EXPECT_EQ(over.error().code, RefusalCode::expired);
    // Without such an end the terms are the declared ones.
    EXPECT_EQ(within_time(*task, task->grants.credentials().at("npm"), {}, Instant(9999s))->ttl, 15min);
}

} // namespace
} // namespace aduana::broker
