// SPDX-License-Identifier: Apache-2.0
// The head: constant size, one spelling.
#include "audit/head.hpp"

#include "audit/journal.hpp"

#include <gtest/gtest.h>

namespace aduana::audit {
namespace {

const Head sample{42, std::string(64, 'a'), std::string(86, 'S') + "=="};

TEST(Head, Is512BytesWithANewlineWhateverItsNumber)
{
    for (const std::uint64_t seq : {std::uint64_t{1}, std::uint64_t{42}, std::uint64_t{9'000'000'000'000'000'000}}) {
        const std::string text = format_head({seq, sample.hash, sample.signature});
        EXPECT_EQ(text.size(), 512U);
        EXPECT_EQ(text.back(), '\n');
        EXPECT_EQ(parse_head(text)->seq, seq);
    }
    EXPECT_TRUE(format_head(sample).starts_with(R"({"v":1,"seq":42,"hash":"aaaa)"));
}

TEST(Head, IsReadBack)
{
    const auto head = parse_head(format_head(sample));
    ASSERT_TRUE(head);
    EXPECT_EQ(head->hash, sample.hash);
    EXPECT_EQ(head->signature, sample.signature);
}

TEST(Head, OtherSpellingsAreRefused)
{
    const std::string good = format_head(sample);
    EXPECT_FALSE(parse_head(""));
    EXPECT_FALSE(parse_head(good.substr(0, 511)));
    EXPECT_FALSE(parse_head(good + " "));
    EXPECT_FALSE(parse_head(std::string(512, '\0')));
    EXPECT_FALSE(parse_head(std::string(512, ' ')));
    EXPECT_FALSE(parse_head("[]" + std::string(509, ' ') + "\n"));
    std::string tab = good;
    tab[400] = '\t';
    EXPECT_FALSE(parse_head(tab)) << "another blank";
    std::string moved = " " + good.substr(0, 510) + "\n";
    EXPECT_FALSE(parse_head(moved)) << "the JSON does not begin at once";
    EXPECT_FALSE(parse_head(format_head({0, sample.hash, sample.signature}))) << "there is no line 0";
}

TEST(Head, TheStatementBindsTaskNumberAndHash)
{
    EXPECT_EQ(head_statement("demo", 42, "ab"), "aduana journal head v1\ndemo\n42\nab\n");
}

} // namespace
} // namespace aduana::audit
