// SPDX-License-Identifier: Apache-2.0
// The desk with an issuer that does as the test says: who gets what, when, and what is left at the end.
#include "broker/core/mint_desk.hpp"

#include "tests/broker/memory_ledger.hpp"
#include "tests/broker/memory_slots.hpp"
#include "tests/broker/samples.hpp"

namespace aduana::broker {
namespace {

using namespace std::chrono_literals;
using Verdict = Minting::Verdict;

/// Asks once, and takes the answer's body for the value; 4xx is a refusal. A second line is a new refresh token.
class ScriptedIssuer final : public Issuer {
public:
    [[nodiscard]] Step begin(const MintContext& context) override
    {
        return call("begin " + context.task + " " + refresh_);
    }
    [[nodiscard]] Step resume(const Answer& answer, const MintContext&) override
    {
        if (answer.status == 202)
            return call("again");
        if (answer.status != 200)
            return Denied{.kind = Denied::Kind::permanent, .detail = "idp.test said no", .remedy = "ask its owner"};
        const auto body = answer.body.reveal();
        const auto line = body.find('\n');
        Issued issued{.value = Secret::copy_of(body.substr(0, line)), .lifetime = 100s, .refresh_token = {}};
        if (line != body.npos)
            issued.refresh_token = Secret::copy_of(body.substr(line + 1));
        return issued;
    }
    [[nodiscard]] std::optional<Call> revoke(const CredentialValue& issued, const MintContext&) override
    {
        return call("revoke " + std::string(std::get<Secret>(issued).reveal()));
    }
    void use_refresh_token(Secret token) override { refresh_ = std::string(token.reveal()); }

private:
    static Call call(const std::string& what)
    {
        return {.method = "POST",
                .endpoint = {policy::Host::parse("idp.test").value(), 443, "/"},
                .fields = {},
                .body = Secret::copy_of(what),
                .identity = {}};
    }
    std::string refresh_ = "first-refresh";
};

class DeskTest : public testing::Test {
protected:
    DeskTest()
    {
        policy::CredentialDeclaration declaration;
        declaration.name = "api";
        declaration.issuer_addresses = {policy::Cidr::parse("10.0.0.0/8").value()};
        desk_.add(declaration, std::make_unique<ScriptedIssuer>(), keeper());
    }

    [[nodiscard]] TokenKeeper keeper()
    {
        return {std::make_shared<samples::MemorySlots>(kept_), read_store_keys(keys_.private_key.reveal()).value(),
                "api", "first-refresh"};
    }

    [[nodiscard]] DeskWorld world(std::chrono::milliseconds at) { return {{Instant(1h) + at, {}}, random_, next_}; }
    [[nodiscard]] static Waiter waiter(std::uint64_t request, std::chrono::milliseconds at)
    {
        Acquire acquire;
        acquire.credential = "api";
        return {request, acquire, Instant(1h) + at + 10s};
    }
    Verdict ask(std::uint64_t request, std::chrono::milliseconds at)
    {
        return desk_.acquire(waiter(request, at), world(at), turn_);
    }
    bool answer(std::uint64_t errand, std::uint16_t status, std::string_view body, std::chrono::milliseconds at)
    {
        return desk_.returned(errand, Answer{status, {}, Secret::copy_of(body)}, world(at), turn_);
    }
    [[nodiscard]] std::string errand_text()
    {
        return std::string(std::get<Call>(turn_.errands.back().call).body.reveal());
    }

    Random random_ = samples::counting_random();
    StoreKeys keys_ = make_store_keys();
    samples::SlotsMemory kept_;
    std::uint64_t next_ = 7;
    MintDesk desk_{"demo"};
    DeskTurn turn_;
};

TEST_F(DeskTest, ManyWaitersAreOneCallAndAreReadyTogether)
{
    for (std::uint64_t request = 1; request <= 50; ++request)
        EXPECT_EQ(ask(request, 0ms), Verdict::wait);
    ASSERT_EQ(turn_.errands.size(), 1U);
    EXPECT_EQ(turn_.errands[0].id, 7U);
    EXPECT_EQ(errand_text(), "begin demo first-refresh");
    EXPECT_EQ(std::get<Call>(turn_.errands[0].call).endpoint.addresses.size(), 1U) << "the operator's ranges go along";
    EXPECT_TRUE(answer(7, 200, "minted-value", 100ms));
    EXPECT_EQ(turn_.ready.size(), 50U);
    EXPECT_EQ(ask(51, 200ms), Verdict::serve);
    EXPECT_EQ(std::get<Secret>(desk_.current("api")->value).reveal(), "minted-value");
    EXPECT_TRUE(desk_.idle());
}

TEST_F(DeskTest, ADialogueOfSeveralCallsEndsWithOneValue)
{
    EXPECT_EQ(ask(1, 0ms), Verdict::wait);
    EXPECT_TRUE(answer(7, 202, "", 1ms));
    EXPECT_EQ(errand_text(), "again");
    EXPECT_TRUE(turn_.ready.empty());
    EXPECT_TRUE(answer(8, 200, "minted-value", 2ms));
    EXPECT_EQ(turn_.ready.size(), 1U);
}

TEST_F(DeskTest, AnAnswerThatNobodyAskedForIsNone)
{
    EXPECT_FALSE(answer(7, 200, "minted-value", 0ms));
    EXPECT_EQ(ask(1, 0ms), Verdict::wait);
    EXPECT_TRUE(answer(7, 200, "minted-value", 0ms));
    EXPECT_FALSE(answer(7, 200, "another-value", 0ms));
    EXPECT_EQ(std::get<Secret>(desk_.current("api")->value).reveal(), "minted-value");
}

TEST_F(DeskTest, ARefusalTellsWhyAndWhenItIsTriedAgain)
{
    EXPECT_EQ(ask(1, 0ms), Verdict::wait);
    EXPECT_TRUE(answer(7, 400, "", 0ms));
    EXPECT_EQ(turn_.ready.size(), 1U);
    EXPECT_EQ(ask(1, 1ms), Verdict::refuse);
    const auto refusal = desk_.refusal("api", Instant(1h) + 10s);
    EXPECT_EQ(refusal.code, RefusalCode::source_unavailable);
    EXPECT_EQ(refusal.detail, "credential 'api': idp.test said no; ask its owner (the issuer is asked again in 50 s)");
}

TEST_F(DeskTest, AValueThatWouldBreakAHeaderIsNotTaken)
{
    EXPECT_EQ(ask(1, 0ms), Verdict::wait);
    EXPECT_TRUE(answer(7, 200, "minted value", 0ms));
    EXPECT_EQ(ask(1, 1ms), Verdict::refuse);
    EXPECT_NE(desk_.refusal("api", Instant(1h)).detail.find("its value has a space at byte 7"), std::string::npos);
}

TEST_F(DeskTest, ARotatedRefreshTokenIsKeptBeforeTheValueIsUsed)
{
    EXPECT_EQ(ask(1, 0ms), Verdict::wait);
    EXPECT_TRUE(answer(7, 200, "minted-value\nsecond-refresh", 0ms));
    auto later = keeper();
    EXPECT_EQ(later.borrow()->newest->reveal(), "second-refresh");
    later.give_back();
    EXPECT_EQ(ask(2, 95s), Verdict::wait) << "the value is over";
    EXPECT_EQ(errand_text(), "begin demo second-refresh");
    kept_.full = true;
    EXPECT_TRUE(answer(8, 200, "other-value\nthird-refresh", 96s));
    EXPECT_EQ(ask(3, 97s), Verdict::refuse) << "what cannot be kept is not used";
    EXPECT_NE(desk_.refusal("api", Instant(1h)).detail.find("the disk is full"), std::string::npos);
}

TEST_F(DeskTest, ARefreshTokenThatSomebodyElseHasIsWaitedFor)
{
    auto other = keeper();
    ASSERT_TRUE(other.borrow()->ours);
    EXPECT_EQ(ask(1, 0ms), Verdict::wait);
    EXPECT_TRUE(turn_.errands.empty());
    EXPECT_EQ(desk_.next_tick(), Instant(1h) + 50ms);
    desk_.tick(world(50ms), turn_);
    EXPECT_TRUE(turn_.errands.empty());
    ASSERT_TRUE(other.keep(Secret::copy_of("from-elsewhere")));
    other.give_back();
    desk_.tick(world(100ms), turn_);
    ASSERT_EQ(turn_.errands.size(), 1U);
    EXPECT_EQ(errand_text(), "begin demo from-elsewhere");
    EXPECT_FALSE(other.borrow()->ours) << "it is ours until the answer has come";
    EXPECT_TRUE(answer(7, 200, "minted-value", 200ms));
    EXPECT_TRUE(other.borrow()->ours);
    EXPECT_EQ(ask(2, 300ms), Verdict::serve);
}

TEST_F(DeskTest, SomebodyElseMayNotKeepTheRefreshTokenForEver)
{
    auto other = keeper();
    ASSERT_TRUE(other.borrow()->ours);
    EXPECT_EQ(ask(1, 0ms), Verdict::wait);
    for (auto at = 50ms; at <= 10s; at += 50ms)
        desk_.tick(world(at), turn_);
    ASSERT_EQ(turn_.ready.size(), 1U);
    EXPECT_EQ(ask(2, 10001ms), Verdict::refuse);
    EXPECT_NE(desk_.refusal("api", Instant(1h)).detail.find("another task has had its refresh token for 10 s"),
              std::string::npos);
}

TEST_F(DeskTest, AFailedMintGivesTheRefreshTokenBack)
{
    auto other = keeper();
    EXPECT_EQ(ask(1, 0ms), Verdict::wait);
    EXPECT_FALSE(other.borrow()->ours);
    EXPECT_TRUE(answer(7, 400, "", 0ms));
    EXPECT_TRUE(other.borrow()->ours);
}

TEST_F(DeskTest, WhoeverHasWaitedTooLongIsReadyToBeTold)
{
    EXPECT_EQ(ask(1, 0ms), Verdict::wait);
    EXPECT_EQ(desk_.next_tick(), Instant(1h) + 10s);
    desk_.tick(world(9999ms), turn_);
    EXPECT_TRUE(turn_.ready.empty());
    desk_.tick(world(10s), turn_);
    ASSERT_EQ(turn_.ready.size(), 1U);
    EXPECT_EQ(turn_.ready[0].request, 1U);
}

TEST_F(DeskTest, AQueueHasAnEnd)
{
    for (std::uint64_t request = 0; request < 256; ++request)
        ASSERT_EQ(ask(request, 0ms), Verdict::wait);
    EXPECT_EQ(ask(256, 0ms), Verdict::refuse);
    EXPECT_NE(desk_.refusal("api", Instant(1h)).detail.find("too many requests wait"), std::string::npos);
}

TEST_F(DeskTest, ClosingTakesBackWhatIsStillGoodAndSaysWhatCouldNotBe)
{
    EXPECT_EQ(ask(1, 0ms), Verdict::wait);
    EXPECT_TRUE(answer(7, 200, "first-value", 0ms));
    EXPECT_EQ(ask(2, 1s), Verdict::serve);
    EXPECT_EQ(desk_.rejected(waiter(3, 2s), 1, world(2s), turn_), Verdict::wait);
    EXPECT_TRUE(answer(8, 200, "second-value", 2s));
    turn_ = {};
    desk_.close(world(3s), turn_);
    ASSERT_EQ(turn_.errands.size(), 2U);
    EXPECT_EQ(std::get<Call>(turn_.errands[0].call).body.reveal(), "revoke first-value");
    EXPECT_EQ(std::get<Call>(turn_.errands[1].call).body.reveal(), "revoke second-value");
    EXPECT_FALSE(desk_.idle());
    EXPECT_TRUE(answer(9, 401, "", 3s)) << "already over";
    EXPECT_TRUE(desk_.returned(10, Undelivered{"idp.test is down"}, world(4s), turn_));
    EXPECT_TRUE(desk_.idle());
    EXPECT_EQ(desk_.unrevoked(), std::vector<std::string>{"api"});
}

TEST_F(DeskTest, AValueThatArrivesAfterTheEndIsTakenBackToo)
{
    EXPECT_EQ(ask(1, 0ms), Verdict::wait);
    desk_.close(world(1s), turn_);
    EXPECT_EQ(turn_.ready.size(), 1U);
    EXPECT_TRUE(answer(7, 200, "late-value", 2s));
    EXPECT_EQ(errand_text(), "revoke late-value");
    EXPECT_TRUE(answer(8, 200, "", 3s));
    EXPECT_TRUE(desk_.idle());
    EXPECT_TRUE(desk_.unrevoked().empty());
}

class NotedDeskTest : public DeskTest {
protected:
    NotedDeskTest()
    {
        desk_ = MintDesk("t1", Ledger(ledger_, keys_.public_key));
        policy::CredentialDeclaration declaration;
        declaration.name = "api";
        declaration.issuer_addresses = {policy::Cidr::parse("10.0.0.0/8").value()};
        desk_.add(declaration, std::make_unique<ScriptedIssuer>());
    }

    std::shared_ptr<samples::MemoryLedger> ledger_ = std::make_shared<samples::MemoryLedger>();
};

TEST_F(NotedDeskTest, WhatIsLentIsNotedUntilItWasTakenBack)
{
    EXPECT_EQ(ask(1, 0ms), Verdict::wait);
    EXPECT_TRUE(ledger_->boxes.empty());
    EXPECT_TRUE(answer(7, 200, "first-value", 0ms));
    ASSERT_EQ(ledger_->boxes.size(), 1U);
    const auto note = open_note(ledger_->boxes[0], keys_);
    ASSERT_TRUE(note);
    EXPECT_EQ(note->call.body.reveal(), "revoke first-value");
    EXPECT_EQ(note->end, WallTime{} + 100s);
    EXPECT_EQ(note->call.endpoint.addresses.size(), 1U) << "the sweep may call where this broker may";
    desk_.close(world(3s), turn_);
    EXPECT_EQ(ledger_->boxes.size(), 1U);
    EXPECT_TRUE(answer(8, 200, "", 3s));
    EXPECT_TRUE(ledger_->boxes.empty());
}

TEST_F(NotedDeskTest, WhatCouldNotBeTakenBackStaysNoted)
{
    EXPECT_EQ(ask(1, 0ms), Verdict::wait);
    EXPECT_TRUE(answer(7, 200, "first-value", 0ms));
    desk_.close(world(3s), turn_);
    EXPECT_TRUE(answer(8, 500, "", 3s));
    EXPECT_EQ(ledger_->boxes.size(), 1U);
}

TEST_F(NotedDeskTest, WhatCannotBeNotedIsTakenBackAndNotLent)
{
    ledger_->full = true;
    EXPECT_EQ(ask(1, 0ms), Verdict::wait);
    turn_ = {};
    EXPECT_TRUE(answer(7, 200, "first-value", 0ms));
    EXPECT_EQ(errand_text(), "revoke first-value");
    EXPECT_FALSE(desk_.current("api"));
    EXPECT_NE(desk_.refusal("api", world(0ms).now.steady).detail.find("the disk is full"), std::string::npos);
}

} // namespace
} // namespace aduana::broker
