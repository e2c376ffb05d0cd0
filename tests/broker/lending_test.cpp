// SPDX-License-Identifier: Apache-2.0
// What a minted value becomes in the message to the proxy.
#include "broker/core/lending.hpp"

#include "broker/mint/dpop.hpp"
#include "tests/broker/samples.hpp"
#include "tests/broker/signed.hpp"

namespace aduana::broker {
namespace {

using namespace std::chrono_literals;

const Moment now{Instant(1h), std::chrono::system_clock::time_point(1562262618s)};

class LendingTest : public testing::Test {
protected:
    LendingTest() : task_(*open_task(samples::task_open(), samples::material()))
    {
        declaration_ = task_.grants.credentials().at("issues-api");
    }
    Message lend(const CredentialValue& value, Moment at = now)
    {
        const Minting::Current current{value, 3, now.steady + 60s, now.steady + 90s, now.steady + 10s};
        return lend_minted(task_, declaration_, current, {request_, at, random_});
    }

    Task task_;
    policy::CredentialDeclaration declaration_;
    Acquire request_ = samples::issues_request("h");
    Random random_ = samples::counting_random();
};

TEST_F(LendingTest, AMintedValueIsLentNoLongerThanItLives)
{
    const auto message = lend(Secret::copy_of("minted-value"));
    const auto& lease = std::get<Lease>(message);
    EXPECT_TRUE(lease.minted);
    EXPECT_EQ(lease.valid_ms, 60'000U);
    EXPECT_EQ(lease.dies_ms, 90'000U);
    EXPECT_EQ(lease.settles_ms, 10'000U);
    EXPECT_EQ(lease.fields.at(0).value.reveal(), "Bearer minted-value");
    const auto settled = lend(Secret::copy_of("minted-value"), {now.steady + 10s, now.wall + 10s});
    EXPECT_EQ(std::get<Lease>(settled).settles_ms, 0U);
}

TEST_F(LendingTest, ABoundTokenComesWithAProofForThisRequest)
{
    const auto key = SigningKey::generate();
    const auto message = lend(DpopToken{Secret::copy_of("bound-token-value"), key.to_pem()});
    const auto& lease = std::get<Lease>(message);
    ASSERT_EQ(lease.fields.size(), 2U);
    EXPECT_EQ(lease.fields[0].value.reveal(), "DPoP bound-token-value");
    EXPECT_EQ(lease.fields[1].name, "DPoP");
    const auto proof = mint::taken_apart(lease.fields[1].value.reveal());
    EXPECT_TRUE(mint::verified_es256(key.to_pem().reveal(), proof.signed_text, proof.signature));
    EXPECT_NE(proof.payload.find(R"("htm":"GET","htu":"https://api.example.com/v1/issues","iat":1562262618)"),
              std::string::npos)
        << proof.payload;
    EXPECT_NE(proof.payload.find(R"("ath":")" + token_hash("bound-token-value") + "\""), std::string::npos);
    EXPECT_EQ(lease.scrub.at(0).reveal(), "bound-token-value");
}

TEST_F(LendingTest, TwoProofsHaveTwoIds)
{
    const auto key = SigningKey::generate();
    const auto first = lend(DpopToken{Secret::copy_of("bound-token-value"), key.to_pem()});
    const auto second = lend(DpopToken{Secret::copy_of("bound-token-value"), key.to_pem()});
    const auto payload = [](const Message& message) {
        return mint::taken_apart(std::get<Lease>(message).fields[1].value.reveal()).payload;
    };
    EXPECT_NE(payload(first), payload(second));
}

TEST_F(LendingTest, ABoundTokenStandsInAuthorizationOnly)
{
    declaration_.inject = policy::HeaderInjection{"X-Api-Key", "{}"};
    const auto message = lend(DpopToken{Secret::copy_of("bound-token-value"), SigningKey::generate().to_pem()});
    EXPECT_NE(std::get<Refused>(message).detail.find("a token with `dpop` is sent in Authorization"),
              std::string::npos);
}

} // namespace
} // namespace aduana::broker
