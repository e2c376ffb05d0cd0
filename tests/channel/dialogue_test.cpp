// SPDX-License-Identifier: Apache-2.0
// One question, its answer, and everything else that may arrive in between.
#include "channel/dialogue.hpp"

#include <gtest/gtest.h>

namespace aduana {
namespace {

using std::chrono::milliseconds;

class DialogueTest : public ::testing::Test {
protected:
    void says(std::uint64_t request, std::string_view text)
    {
        wire::Writer frame(1, request);
        frame.bytes(text);
        ASSERT_TRUE(send_datagram(pair_.second.get(), frame.frame(), {}));
    }
    [[nodiscard]] std::string ask()
    {
        const wire::Writer request(1, dialogue_.next_request());
        const auto reply = dialogue_.ask(request, {}, "ask for less", [this](const Datagram& datagram) {
            ++unasked_;
            return datagram.bytes.ends_with("bad") ? Result<Ok>(Error{"refused by the caller"}) : Result<Ok>(Ok{});
        });
        return reply ? reply->bytes.substr(14) : describe(reply.error());
    }

    std::pair<UniqueFd, UniqueFd> pair_ = datagram_pair().value();
    Dialogue dialogue_{std::move(pair_.first), "the peer", milliseconds(200)};
    int unasked_ = 0;
};

TEST_F(DialogueTest, ReturnsTheAnswerWithTheIdOfTheQuestion)
{
    says(1, "yes");
    EXPECT_EQ(ask(), "yes");
    says(2, "no");
    EXPECT_EQ(ask(), "no");
}

TEST_F(DialogueTest, HandsOnWhatNobodyAskedForAndDropsWhatIsLate)
{
    EXPECT_EQ(ask(), "the peer did not answer in time; is the machine overloaded? try again");
    says(1, "late");
    says(0, "by the way");
    says(2, "in time");
    EXPECT_EQ(ask(), "in time");
    EXPECT_EQ(unasked_, 1);
}

TEST_F(DialogueTest, EndsWhenTheCallerRefusesWhatNobodyAskedFor)
{
    says(0, "bad");
    says(1, "yes");
    EXPECT_EQ(ask(), "refused by the caller");
}

TEST_F(DialogueTest, AnAnswerToNoQuestionIsAnError)
{
    says(7, "yes");
    EXPECT_EQ(ask(), "the peer answered a request that was never sent");
    ASSERT_TRUE(send_datagram(pair_.second.get(), "garbage", {}));
    EXPECT_EQ(ask(), "the peer sent a bad frame: frame without a valid header");
}

TEST_F(DialogueTest, AQuestionThatDoesNotFitIsNotSent)
{
    wire::Writer request(1, dialogue_.next_request());
    request.bytes(std::string(wire::max_frame, 'x'));
    const auto reply = dialogue_.ask(request, {}, "ask for less", {});
    ASSERT_FALSE(reply);
    EXPECT_EQ(describe(reply.error()), "the request to the peer is longer than one message (256 KiB); ask for less");
}

TEST_F(DialogueTest, NamesAPeerThatHasEnded)
{
    pair_.second.reset();
    const auto heard = dialogue_.hear();
    ASSERT_FALSE(heard);
    EXPECT_EQ(heard.error().message, "the peer has ended or closed its socket");
}

} // namespace
} // namespace aduana
