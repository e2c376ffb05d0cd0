// SPDX-License-Identifier: Apache-2.0
// Somebody who chooses the answer and sees where its pieces end tries to learn a value from what is held back.
#include "proxy/core/hints.hpp"

#include "proxy/core/scrub.hpp"

#include <gtest/gtest.h>

namespace aduana::proxy {
namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=-_";
const std::string text = "tok_9f8e7d6c5B4a3210QwErTyUiOp";

struct Searched {
    explicit Searched(const std::string& bytes)
        : value(Secret::copy_of(bytes)), hints(std::make_shared<Hints>(bytes.size(), [this] { ++told; })),
          set(ScrubSet::of({ScrubbedValue{&value, scrubbed_text, hints}}))
    {
    }

    /// A piece that ends with `guess` has ended in front of it.
    [[nodiscard]] bool is_held_back(const std::string& guess) const
    {
        Scrubber scrubber(set);
        std::string out;
        scrubber.feed("|" + guess, out);
        return out == "|";
    }
    /// What the next character of `known` can be; '\0': all look alike, or none is right.
    [[nodiscard]] char next(const std::string& known) const
    {
        std::string right;
        for (const char c : alphabet) {
            if (is_held_back(known + c))
                right += c;
        }
        return right.size() == 1 ? right.front() : '\0';
    }

    Secret value;
    int told = 0;
    std::shared_ptr<Hints> hints;
    ScrubSet set;
};

TEST(Hints, AreSpentBeforeAValueIsGuessed)
{
    for (const auto& encoded : {text, std::string("dG9rXzlmOGU3ZDZjNUI0YTMyMTBRd0VyVHlVaU9w")}) {
        const Searched it(text);
        std::string known(encoded, 0, 4);
        while (known.size() < encoded.size()) {
            const char c = it.next(known);
            if (c == '\0')
                break;
            known += c;
        }
        EXPECT_TRUE(it.hints->spent());
        EXPECT_EQ(it.told, 1);
        EXPECT_LT(known.size(), encoded.size() / 2) << known;
    }
}

TEST(Hints, OnceSpentLeaveNothingThatDependsOnTheValue)
{
    const Searched it(text);
    while (!it.hints->spent())
        it.hints->give();
    const auto right = text.substr(0, text.size() - 1);
    const auto wrong = std::string(right.size(), '.');
    for (const auto& before : {std::string("|"), std::string(5000, 'x')}) {
        std::string sizes[2];
        std::size_t at = 0;
        for (const auto& guess : {right, wrong}) {
            Scrubber scrubber(it.set);
            std::string out;
            for (const std::string& piece : {before, guess, std::string("#"), std::string(3000, 'y')}) {
                scrubber.feed(piece, out);
                sizes[at] += std::to_string(out.size()) + " ";
            }
            scrubber.finish(out);
            EXPECT_EQ(out, before + guess + "#" + std::string(3000, 'y'));
            ++at;
        }
        EXPECT_EQ(sizes[0], sizes[1]);
    }
}

TEST(Hints, AreNotSpentByTheValueItself)
{
    const Searched it(text);
    for (int round = 0; round < 100; ++round) {
        Scrubber scrubber(it.set);
        std::string out;
        for (const char c : "value=" + text + ";")
            scrubber.feed({&c, 1}, out);
        scrubber.finish(out);
        EXPECT_EQ(out, "value=[scrubbed];");
    }
    EXPECT_FALSE(it.hints->spent());
}

TEST(Hints, AreNotSpentByWhatManyValuesBeginWith)
{
    const Searched it("eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0." + std::string(120, 'S'));
    for (int round = 0; round < 100; ++round)
        EXPECT_TRUE(it.is_held_back("eyJhbGciOiJSUzI1NiJ9."));
    EXPECT_FALSE(it.hints->spent());
}

TEST(Hints, OfOneValueAreThoseOfAllAnswers)
{
    const Searched it(text);
    std::vector<Scrubber> open(8, Scrubber(it.set));
    std::string out;
    for (auto& scrubber : open)
        scrubber.feed(text.substr(0, 20), out);
    EXPECT_TRUE(it.hints->spent()) << "none of them has gone on";
    open.front().feed(text.substr(20), out);
    EXPECT_TRUE(it.hints->spent()) << "what is spent stays so";
}

} // namespace
} // namespace aduana::proxy
