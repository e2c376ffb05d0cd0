// SPDX-License-Identifier: Apache-2.0
// Frames between the broker and the processes beside it: what was sent arrives, and anything else is refused.
#include "broker/mint/carriage.hpp"

#include <gtest/gtest.h>

namespace aduana::broker {
namespace {

Run some_run()
{
    return {{"/usr/libexec/mint", "--for", ""}, {"A=b", "C="}};
}

TEST(Carriage, BringsARunThere)
{
    const auto frame = encode_run(some_run(), 7);
    const auto decoded = decode_run(frame.frame());
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->request, 7U);
    EXPECT_EQ(decoded->run.command, some_run().command);
    EXPECT_EQ(decoded->run.environment, some_run().environment);
    EXPECT_EQ(encode_run(decoded->run, 7).frame(), frame.frame());
}

Call some_call()
{
    Call call{.method = "POST",
              .endpoint = {.host = policy::Host::parse("idp.test").value(), .target = "/token"},
              .fields = {},
              .body = Secret::copy_of("grant_type=refresh_token"),
              .identity = {}};
    call.fields.push_back({"content-type", Secret::copy_of("application/x-www-form-urlencoded")});
    return call;
}

TEST(Carriage, BringsACallThereWithWhatIsToBeKeptOfItsAnswer)
{
    const KeepOrder keep{std::string(32, 'k'), "api", "before", 1};
    for (const auto* order : {static_cast<const KeepOrder*>(nullptr), &keep}) {
        const auto frame = encode_call(some_call(), 9, order);
        const auto decoded = decode_call(frame.frame());
        ASSERT_TRUE(decoded) << decoded.error().message;
        EXPECT_EQ(decoded->request, 9U);
        EXPECT_EQ(decoded->call.body.reveal(), "grant_type=refresh_token");
        EXPECT_EQ(decoded->keep.has_value(), order != nullptr);
        if (order != nullptr)
            EXPECT_EQ(decoded->keep, keep);
        for (std::size_t size = 0; size < frame.frame().size(); ++size)
            EXPECT_FALSE(decode_call(frame.frame().substr(0, size))) << size;
    }
    auto third = keep;
    third.slot = 2;
    EXPECT_FALSE(decode_call(encode_call(some_call(), 9, &third).frame()));
}

TEST(Carriage, BringsBackWhatWasPrinted)
{
    const auto frame = encode_carried(Printed{"failed", Secret::copy_of("value")}, 8);
    const auto decoded = decode_carried(frame.frame());
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->request, 8U);
    const auto* printed = std::get_if<Printed>(&decoded->carried);
    ASSERT_NE(printed, nullptr);
    EXPECT_EQ(printed->failure, "failed");
    EXPECT_EQ(printed->output.reveal(), "value");
}

TEST(Carriage, RefusesEveryFrameThatIsCutOrLonger)
{
    const auto run = encode_run(some_run(), 7);
    const auto printed = encode_carried(Printed{"failed", Secret::copy_of("value")}, 8);
    for (std::size_t size = 0; size < run.frame().size(); ++size)
        EXPECT_FALSE(decode_run(run.frame().substr(0, size))) << size;
    for (std::size_t size = 0; size < printed.frame().size(); ++size)
        EXPECT_FALSE(decode_carried(printed.frame().substr(0, size))) << size;
    EXPECT_FALSE(decode_run(std::string(run.frame()) + "x"));
    EXPECT_FALSE(decode_carried(std::string(printed.frame()) + "x"));
}

TEST(Carriage, RefusesARunOfNothingAndOneKindOfFrameForAnother)
{
    EXPECT_FALSE(decode_run(encode_run({{}, {"A=b"}}, 7).frame()));
    EXPECT_FALSE(decode_carried(encode_run(some_run(), 7).frame()));
    EXPECT_FALSE(decode_call(encode_run(some_run(), 7).frame()));
    EXPECT_FALSE(decode_run(encode_carried(Printed{}, 7).frame()));
}

} // namespace
} // namespace aduana::broker
