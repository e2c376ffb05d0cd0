// SPDX-License-Identifier: Apache-2.0
// The broker as a function: open, acquire, release, close, and everything that is refused.
#include "broker/core/broker.hpp"

#include "tests/broker/samples.hpp"

#include <algorithm>

namespace aduana::broker {
namespace {

using samples::reply_of;

const Moment now{Instant(std::chrono::hours(1)), {}};

Moment after(std::chrono::milliseconds time)
{
    return {now.steady + time, now.wall + time};
}

class BrokerTest : public testing::Test {
protected:
    TaskOpened open()
    {
        return reply_of<TaskOpened>(broker_.handle(samples::task_open(), {Peer::control}, now, samples::material()));
    }
    Lease acquire(const Acquire& request, std::chrono::milliseconds time = {})
    {
        return reply_of<Lease>(broker_.handle(request, {Peer::proxy}, after(time)));
    }
    Refused refused(const Acquire& request) { return reply_of<Refused>(broker_.handle(request, {Peer::proxy}, now)); }

    Broker broker_{samples::counting_random()};
};

TEST_F(BrokerTest, OpeningGivesAHandleAndPlaceholdersOfGrantedCredentialsOnly)
{
    const auto opened = open();
    EXPECT_EQ(opened.handle.size(), 16U);
    std::vector<std::string> variables;
    for (const auto& placeholder : opened.placeholders)
        variables.push_back(placeholder.variable);
    std::ranges::sort(variables);
    EXPECT_EQ(variables, (std::vector<std::string>{"ISSUES_KEY", "ISSUES_TOKEN", "NPM_TOKEN"}));
}

TEST_F(BrokerTest, TwoTasksShareNeitherHandleNorPlaceholders)
{
    const auto first = open();
    const auto second = open();
    EXPECT_NE(first.handle, second.handle);
    EXPECT_NE(first.placeholders[0].value, second.placeholders[0].value);
}

TEST_F(BrokerTest, ALeaseHoldsTheFieldAndWhatMustNotComeBack)
{
    const auto lease = acquire(samples::issues_request(open().handle));
    EXPECT_EQ(lease.credential, "issues-api");
    EXPECT_TRUE(lease.fresh);
    EXPECT_EQ(lease.generation, 1U);
    EXPECT_EQ(lease.valid_ms, 15U * 60 * 1000);
    EXPECT_EQ(lease.uses_left, 2U);
    ASSERT_EQ(lease.fields.size(), 1U);
    EXPECT_EQ(lease.fields[0].name, "Authorization");
    EXPECT_EQ(lease.fields[0].value.reveal(), "Bearer " + std::string(samples::issues_value));
    ASSERT_EQ(lease.scrub.size(), 1U);
    EXPECT_EQ(lease.scrub[0].reveal(), samples::issues_value);
}

TEST_F(BrokerTest, UsesBeyondTheTermsGetANewGeneration)
{
    const auto request = samples::issues_request(open().handle);
    const auto first = acquire(request);
    for (int use = 1; use < 3; ++use)
        EXPECT_FALSE(acquire(request).fresh);
    const auto fourth = acquire(request);
    EXPECT_TRUE(fourth.fresh);
    EXPECT_EQ(fourth.generation, 2U);
    EXPECT_NE(fourth.id, first.id);
}

TEST_F(BrokerTest, ALeaseIsNotUsedPastItsTtl)
{
    const auto request = samples::issues_request(open().handle);
    const auto first = acquire(request);
    EXPECT_EQ(acquire(request, std::chrono::minutes(15) - std::chrono::milliseconds(1)).id, first.id);
    EXPECT_NE(acquire(request, std::chrono::minutes(15)).id, first.id);
}

TEST_F(BrokerTest, ClosingRevokesTheLeasesAndForgetsTheTask)
{
    const auto handle = open().handle;
    const auto lease = acquire(samples::issues_request(handle));
    const auto closed = reply_of<TaskClosed>(broker_.handle(TaskClose{handle}, {Peer::control}, now));
    EXPECT_EQ(closed.revoked, (std::vector<RevokedLease>{{lease.id, lease.credential}}));
    EXPECT_EQ(refused(samples::issues_request(handle)).code, RefusalCode::no_such_task);
    EXPECT_EQ(reply_of<Refused>(broker_.handle(TaskClose{handle}, {Peer::control}, now)).code,
              RefusalCode::no_such_task);
}

TEST_F(BrokerTest, AnotherHandleIsNoTask)
{
    auto handle = open().handle;
    handle[15] = static_cast<char>(handle[15] ^ 1);
    EXPECT_EQ(refused(samples::issues_request(handle)).code, RefusalCode::no_such_task);
    EXPECT_EQ(refused(samples::issues_request("")).code, RefusalCode::no_such_task);
}

TEST_F(BrokerTest, OneTaskCannotUseTheCredentialOfAnother)
{
    const auto first = open().handle;
    auto material = samples::material();
    material.policy_text = "version: 1\nallow:\n  - {name: n, hosts: [npm.example.com], credential: npm}\n";
    const auto second =
        reply_of<TaskOpened>(broker_.handle(samples::task_open(), {Peer::control}, now, material)).handle;
    EXPECT_TRUE(acquire(samples::issues_request(first)).fresh);
    EXPECT_EQ(refused(samples::issues_request(second)).code, RefusalCode::no_binding);
}

TEST_F(BrokerTest, ARefusedAcquireUsesNothing)
{
    const auto handle = open().handle;
    auto wrong = samples::issues_request(handle);
    wrong.host = wrong.verified_name = "evil.test";
    EXPECT_EQ(refused(wrong).code, RefusalCode::destination_not_bound);
    EXPECT_EQ(acquire(samples::issues_request(handle)).uses_left, 2U);
}

TEST_F(BrokerTest, ReleaseHasNoReplyWhateverItNames)
{
    const auto handle = open().handle;
    const auto lease = acquire(samples::issues_request(handle));
    for (const auto& release : {Release{handle, lease.id}, Release{handle, "none"}, Release{"none", lease.id}}) {
        const auto outcome = broker_.handle(release, {Peer::proxy}, now);
        EXPECT_TRUE(outcome.replies.empty());
        EXPECT_FALSE(outcome.breach);
    }
}

TEST_F(BrokerTest, AMessageThatIsNotPermittedIsABreach)
{
    const auto early = broker_.handle(samples::issues_request("h"), {Peer::proxy}, now);
    ASSERT_TRUE(early.breach);
    EXPECT_EQ(early.breach->message, "the proxy peer sent Acquire, which it may not send now");
    EXPECT_TRUE(early.replies.empty());
    const auto handle = open().handle;
    EXPECT_TRUE(broker_.handle(samples::issues_request(handle), {Peer::control}, now).breach);
    EXPECT_TRUE(broker_.handle(TaskClose{handle}, {Peer::proxy}, now).breach);
    EXPECT_TRUE(broker_.handle(samples::task_open(), {Peer::proxy}, now, samples::material()).breach);
    EXPECT_TRUE(broker_.handle(Refused{}, {Peer::proxy}, now).breach);
    EXPECT_TRUE(acquire(samples::issues_request(handle)).fresh) << "a breach changes nothing";
}

TEST_F(BrokerTest, AfterTheLastTaskALateAcquireIsRefusedAndNoBreach)
{
    const auto handle = open().handle;
    (void)broker_.handle(TaskClose{handle}, {Peer::control}, now);
    EXPECT_EQ(refused(samples::issues_request(handle)).code, RefusalCode::no_such_task);
}

TEST_F(BrokerTest, ATaskThatCouldNotBeOpenedLeavesNothing)
{
    auto material = samples::material();
    material.policy_text = "version: 9\n";
    EXPECT_EQ(reply_of<Refused>(broker_.handle(samples::task_open(), {Peer::control}, now, material)).code,
              RefusalCode::invalid_file);
    EXPECT_TRUE(broker_.handle(samples::issues_request("h"), {Peer::proxy}, now).breach) << "still fresh";
}

TEST_F(BrokerTest, NoRefusalHoldsAValue)
{
    const auto handle = open().handle;
    auto request = samples::issues_request(handle);
    request.host = "evil.test";
    EXPECT_EQ(refused(request).detail.find(samples::issues_value), std::string::npos);
    auto material = samples::material();
    material.files[0] = Secret::copy_of("sesame\x01opens");
    const auto detail = reply_of<Refused>(broker_.handle(samples::task_open(), {Peer::control}, now, material)).detail;
    EXPECT_EQ(detail.find("sesame"), std::string::npos) << detail;
}

} // namespace
} // namespace aduana::broker
