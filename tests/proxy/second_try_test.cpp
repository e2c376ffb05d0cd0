// SPDX-License-Identifier: Apache-2.0
// Which answers are taken for the credential's fault, and how often.
#include "proxy/core/second_try.hpp"

#include <gtest/gtest.h>

namespace aduana::proxy {
namespace {

using Advice = SecondTry::Advice;

broker::Lease lease(bool minted, std::uint64_t settles_ms)
{
    broker::Lease lease;
    lease.minted = minted;
    lease.settles_ms = settles_ms;
    return lease;
}

TEST(SecondTry, AStoredCredentialHasNoOtherValue)
{
    SecondTry stored;
    EXPECT_EQ(stored.advise(401, lease(false, 0)), Advice::pass);
}

TEST(SecondTry, A401ToAMintedValueBringsOneOtherValueAndNoMore)
{
    SecondTry minted;
    EXPECT_EQ(minted.advise(401, lease(true, 0)), Advice::renew);
    EXPECT_EQ(minted.advise(401, lease(true, 0)), Advice::pass);
}

TEST(SecondTry, OtherAnswersAreTheClients)
{
    for (const int status : {200, 302, 400, 403, 404, 407, 500}) {
        SecondTry minted;
        SCOPED_TRACE(status);
        EXPECT_EQ(minted.advise(status, lease(true, 0)), Advice::pass);
    }
}

TEST(SecondTry, AValueThatSettlesIsWaitedForThreeTimesAndThenReplaced)
{
    SecondTry minted;
    EXPECT_EQ(minted.advise(404, lease(true, 9000)), Advice::wait);
    EXPECT_EQ(minted.delay(), std::chrono::seconds(1));
    EXPECT_EQ(minted.advise(403, lease(true, 8000)), Advice::wait);
    EXPECT_EQ(minted.delay(), std::chrono::seconds(2));
    EXPECT_EQ(minted.advise(401, lease(true, 6000)), Advice::wait);
    EXPECT_EQ(minted.delay(), std::chrono::seconds(4));
    EXPECT_EQ(minted.advise(404, lease(true, 2000)), Advice::pass);
    EXPECT_EQ(minted.advise(401, lease(true, 2000)), Advice::renew);
    EXPECT_EQ(minted.advise(401, lease(true, 0)), Advice::pass);
}

} // namespace
} // namespace aduana::proxy
