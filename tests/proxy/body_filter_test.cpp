// SPDX-License-Identifier: Apache-2.0
// What of a coded body reaches the client.
#include "proxy/core/body_filter.hpp"

#include "tests/support/coded.hpp"
#include "tests/support/partition.hpp"

#include <gtest/gtest.h>

namespace aduana::proxy {
namespace {

using Last = BodyFilter::Last;
using State = BodyFilter::State;

const std::string token = "tok_9fK2?>~mQx7";

ScrubSet secrets()
{
    const auto value = Secret::copy_of(token);
    return ScrubSet::of({&value});
}

std::optional<std::string> filtered(BodyFilter filter, const test::Pieces& pieces)
{
    std::string out;
    for (std::size_t i = 0; i <= pieces.size(); ++i) {
        auto rest = i == pieces.size() ? std::string_view() : pieces[i];
        const auto last = i == pieces.size() ? Last::yes : Last::no;
        auto state = State::again;
        while (state == State::again) {
            const auto before = out.size();
            state = filter.next(rest, last, out);
            EXPECT_LE(out.size() - before, 16U * 1024 + 1000);
        }
        if (state == State::failed)
            return std::nullopt;
    }
    return out;
}

TEST(BodyFilter, FindsSecretsUnderEveryCodingAtEveryCut)
{
    const auto set = secrets();
    std::string text;
    std::string expected;
    for (int i = 0; i < 40; ++i) {
        text += "line " + std::to_string(i) + " " + token + "\n";
        expected += "line " + std::to_string(i) + " [scrubbed]\n";
    }
    for (const auto coding : {ContentCoding::identity, ContentCoding::gzip, ContentCoding::deflate,
                              ContentCoding::brotli, ContentCoding::zstd}) {
        const auto body = test::coded(text, coding);
        for (const auto& pieces : test::partitions(body))
            ASSERT_EQ(filtered(BodyFilter(coding, set), pieces), expected) << static_cast<int>(coding);
    }
}

TEST(BodyFilter, LetsALargeBodyOutInSmallSteps)
{
    const auto set = secrets();
    std::string text;
    for (int i = 0; text.size() < (1U << 20); ++i)
        text += std::to_string(i) + ",";
    for (const auto coding : test::real_codings)
        EXPECT_EQ(filtered(BodyFilter(coding, set), {test::coded(text, coding)}), text);
}

TEST(BodyFilter, FailsWhereTheCodingEndsTooEarlyOrIsNone)
{
    const auto set = secrets();
    for (const auto coding : test::real_codings) {
        const auto body = test::coded(token + token, coding);
        EXPECT_FALSE(filtered(BodyFilter(coding, set), {std::string_view(body).substr(0, body.size() - 1)}));
        EXPECT_FALSE(filtered(BodyFilter(coding, set), {token}));
        EXPECT_EQ(filtered(BodyFilter(coding, set), {}), "");
    }
}

} // namespace
} // namespace aduana::proxy
