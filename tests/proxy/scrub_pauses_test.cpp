// SPDX-License-Identifier: Apache-2.0
// Somebody who chooses what is answered, and sees where its pieces end, tries to learn a value from what is held back,
// task after task.
#include "proxy/core/scrub.hpp"
#include "proxy/core/spellings.hpp"
#include "tests/support/scrubbing.hpp"

#include <gtest/gtest.h>

#include <array>

namespace aduana::proxy {
namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=-_";
const std::string value = "tok_9f8e7d6c5B4a3210QwErTyUiOp+/"; // of 32 bytes, eight may be learned
const std::string jwt = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0." + std::string(120, 'S');

struct Pair {
    std::string one;
    std::string other;
};
/// Alike in what may be learned: the first quarter and the last, or eight bytes; and in how long their spellings are.
const std::array<Pair, 3> alike{{{value, "tok_9f8e0123a4B5c6d7rEwQTyUiOp+/"},
                                 {jwt, jwt.substr(0, 60) + std::string(37, 'R') + jwt.substr(97)},
                                 {"pass wo\"%&<'\t =512345\"89", "pass wo\"<%&'\t= 512345\"89"}}};

/// What is out after each byte of `text`.
std::vector<std::size_t> progress(const ScrubSet& set, const std::string& text)
{
    Scrubber scrubber(set);
    std::string out;
    std::vector<std::size_t> sizes;
    for (const char c : text) {
        scrubber.feed({&c, 1}, out);
        sizes.push_back(out.size());
    }
    scrubber.finish(out);
    EXPECT_EQ(out, text);
    return sizes;
}

/// As long as a text has not the whole value in it, values that are alike in what may be learned cannot be told apart.
void expect_no_difference(const ScrubSet& one, const ScrubSet& other, const std::string& text)
{
    ASSERT_EQ(progress(one, text), progress(other, text)) << testing::PrintToString(text);
}

TEST(ScrubPauses, TellNothingOfAValueBeyondItsBeginning)
{
    for (const auto& [guessed, real] : alike) {
        const auto one = test::set_of({guessed});
        const auto other = test::set_of({real});
        for (const auto& spelling : spellings_of(guessed)) {
            const auto size = spelling.bytes.size();
            for (std::size_t right = 1; right < size; right += 1 + right / 3)
                expect_no_difference(one, other, "|" + spelling.bytes.substr(0, right) + "#" + std::string(size, '.'));
        }
    }
}

TEST(ScrubPauses, TellNothingMoreWhereLinesEnd)
{
    const auto one = test::set_of({alike[0].one});
    const auto other = test::set_of({alike[0].other});
    for (const auto& spelling : spellings_of(alike[0].one)) {
        if (!spelling.wraps)
            continue;
        for (std::size_t line = 0; line <= 18; ++line) {
            for (std::size_t right = line; right < spelling.bytes.size(); right += 7) {
                auto text = std::string(16, 'x') + spelling.bytes.substr(0, right);
                text.insert(16 + line, "\r\n  ");
                expect_no_difference(one, other, text + "#" + std::string(400, '.'));
                for (const std::string next : {"\n", "\r\n", "\r\n \t"})
                    text += next + std::string(16 + right % 3, 'Q');
                expect_no_difference(one, other, text + "\r\n" + std::string(400, '.'));
            }
        }
    }
}

TEST(ScrubPauses, OfThousandTasksTellWhatThoseOfOneDo)
{
    const std::string encoded = test::base64(value, "+/");
    for (const auto& [spelled, most] : {std::pair{value, std::size_t{8}}, std::pair{encoded, std::size_t{8}}}) {
        std::string known = spelled.substr(0, 4);
        for (;;) {
            std::string right;
            for (const char c : alphabet) {
                const auto set = test::set_of({value}); // of a task of its own
                if (progress(set, "|" + known + c).back() == 1)
                    right += c;
            }
            if (right.size() != 1)
                break;
            known += right;
        }
        EXPECT_EQ(known, spelled.substr(0, most));
    }
}

TEST(ScrubPauses, EndAtOnceWhereTheBeginningIsNot)
{
    const auto set = test::set_of({value, jwt});
    for (const std::string text : {"tok_9f8-", "tok_", "ok_9f8e7d6c5B4a", "eyJhbGciOiJSUzI1NiJ9.eyJpc"}) {
        Scrubber scrubber(set);
        std::string out;
        scrubber.feed("data: " + text + "\n\n", out);
        EXPECT_EQ(out, "data: " + text + "\n\n");
    }
}

TEST(ScrubPauses, EndWithTheSpellingAtTheLatest)
{
    const auto set = test::set_of({value});
    Scrubber scrubber(set);
    std::string out;
    scrubber.feed(value.substr(0, 9) + std::string(2 * value.size(), '-'), out);
    EXPECT_EQ(scrubber.held_back(), 0U);
    scrubber.feed(value.substr(0, 9) + "\n\n", out);
    EXPECT_EQ(scrubber.held_back(), 11U) << "could it be the value, it would go on";
    scrubber.finish(out);
    EXPECT_EQ(out, value.substr(0, 9) + std::string(2 * value.size(), '-') + value.substr(0, 9) + "\n\n");
}

} // namespace
} // namespace aduana::proxy
