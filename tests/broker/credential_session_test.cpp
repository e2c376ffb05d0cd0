// SPDX-License-Identifier: Apache-2.0
// The proxy's side of the broker's socket against the codec of the broker.
#include "broker/client/credential_session.hpp"

#include "broker/protocol/codec.hpp"

#include <gtest/gtest.h>

namespace aduana::broker {
namespace {

const Acquire request{"handle", "issues", "api.example.com", 443, "api.example.com", "GET", "/v1"};

std::string error_of(CredentialSession& session, const Message& message, std::uint64_t id)
{
    const auto reply = encode(message, id);
    const auto answer = session.on_datagram(reply.frame());
    return answer ? "no error" : answer.error().message;
}

TEST(CredentialSession, RequestsCountUpAndCarryTheirFields)
{
    CredentialSession session;
    const auto [first, frame] = session.acquire(request);
    const auto [second, other] = session.acquire(request);
    EXPECT_EQ(first, 1U);
    EXPECT_EQ(second, 2U);
    const auto decoded = decode(frame.frame());
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->request, 1U);
    EXPECT_EQ(std::get<Acquire>(decoded->message).host, "api.example.com");
    const auto release = session.release({"handle", "0011"});
    const auto released = decode(release.frame());
    ASSERT_TRUE(released);
    EXPECT_EQ(std::get<Release>(released->message).lease, "0011");
}

TEST(CredentialSession, ASignatureIsAnAnswerToo)
{
    CredentialSession session;
    Sign sign;
    sign.request = request;
    sign.lease = "0011";
    const auto [id, frame] = session.sign(sign);
    const auto decoded = decode(frame.frame());
    ASSERT_TRUE(decoded);
    EXPECT_EQ(std::get<Sign>(decoded->message).lease, "0011");
    Signed made;
    made.seed = "00ff";
    const auto reply = encode(Message(std::move(made)), id);
    const auto answer = session.on_datagram(reply.frame());
    ASSERT_TRUE(answer);
    EXPECT_EQ(std::get<Signed>(answer->second).seed, "00ff");
}

TEST(CredentialSession, AnAnswerComesWithTheIdOfItsRequest)
{
    CredentialSession session;
    (void)session.acquire(request);
    (void)session.acquire(request);
    Lease lease;
    lease.id = "0011";
    const auto reply = encode(Message(std::move(lease)), 2);
    const auto answer = session.on_datagram(reply.frame());
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->first, 2U);
    EXPECT_EQ(std::get<Lease>(answer->second).id, "0011");
    const auto refusal = encode(Refused{RefusalCode::no_binding, "no"}, 1);
    const auto refused = session.on_datagram(refusal.frame());
    ASSERT_TRUE(refused);
    EXPECT_EQ(std::get<Refused>(refused->second).code, RefusalCode::no_binding);
}

TEST(CredentialSession, WhatWasNotAskedForIsAnError)
{
    CredentialSession session;
    (void)session.acquire(request);
    EXPECT_EQ(error_of(session, Refused{}, 2), "aduana-broker answered a request that was never sent");
    EXPECT_EQ(error_of(session, Refused{}, 0), "aduana-broker answered a request that was never sent");
    EXPECT_EQ(error_of(session, TaskClosed{}, 1), "aduana-broker answered with TaskClosed");
    EXPECT_EQ(error_of(session, Refused{}, 1), "no error");
    const auto garbage = session.on_datagram("garbage");
    ASSERT_FALSE(garbage);
    EXPECT_EQ(garbage.error().message, "aduana-broker sent a bad frame: frame without a valid header");
}

TEST(CredentialSession, ARequestThatIsTooLongHasNoFrame)
{
    CredentialSession session;
    auto longer = request;
    longer.path.assign(wire::max_frame, 'a');
    EXPECT_TRUE(session.acquire(longer).second.frame().empty());
    EXPECT_FALSE(session.acquire(request).second.frame().empty());
}

} // namespace
} // namespace aduana::broker
