// SPDX-License-Identifier: Apache-2.0
// Secrets in every searched form, at every cut; compared with a search that is too simple to be wrong.
#include "proxy/core/scrub.hpp"

#include "tests/support/scrubbing.hpp"

#include <gtest/gtest.h>

#include <array>

namespace aduana::proxy {
namespace {

using test::all_spellings;
using test::base64;
using test::expect_everywhere;
using test::replace_naively;
using test::scrub_pieces;
using test::set_of;
using test::token;

TEST(Scrubber, ReplacesARawValueAtEveryCut)
{
    const auto set = set_of({token});
    const std::string text = "{\"authorization\":\"Bearer " + token + "\"}" + token + token + "!";
    expect_everywhere(set, text, "{\"authorization\":\"Bearer [scrubbed]\"}[scrubbed][scrubbed]!");
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
        const std::string_view view(text);
        EXPECT_EQ(scrub_pieces(set, {view.substr(0, cut), view.substr(cut)}).find(token), std::string::npos) << cut;
    }
}

TEST(Scrubber, CountsWhatItReplaced)
{
    const auto set = set_of({token});
    std::uint64_t replaced = 0;
    scrub_pieces(set, {token, "x", token}, &replaced);
    EXPECT_EQ(replaced, 2U);
    std::string out;
    EXPECT_EQ(set.scrub(token + token + "tok_", out), 2U);
    EXPECT_EQ(out, "[scrubbed][scrubbed]tok_");
}

TEST(Scrubber, FindsBase64AtEveryAlignmentAndCut)
{
    const auto set = set_of({token});
    for (const std::string before : {"", "u", "us", "use", "user:", "longer"}) {
        for (const std::string after : {"", "1", "22", "333"}) {
            for (const char* alphabet : {"+/", "-_"}) {
                const auto encoded = base64(before + token + after, alphabet);
                SCOPED_TRACE(encoded);
                for (const auto& pieces : test::partitions(encoded)) {
                    std::uint64_t replaced = 0;
                    const auto out = scrub_pieces(set, pieces, &replaced);
                    EXPECT_EQ(replaced, 1U);
                    // At most the characters shared with a neighbouring byte are left at each side.
                    EXPECT_LE(out.size(), encoded.size() - (token.size() * 8 - 10) / 6 + scrubbed_text.size());
                }
            }
        }
    }
}

TEST(Scrubber, FindsBase64OfEveryLengthOfValue)
{
    std::string value;
    for (char c = '0'; value.size() < 40; c = static_cast<char>(c + 1)) {
        value.push_back(c);
        if (value.size() < 8)
            continue;
        const auto set = set_of({value});
        for (const std::string before : {"", "u", "us"}) {
            std::string out;
            EXPECT_EQ(set.scrub(base64(before + value + "zz", "+/"), out), 1U) << value << " behind " << before;
        }
    }
}

TEST(Scrubber, FindsBytesThatAreNoText)
{
    using namespace std::string_literals;
    const auto value = "\0\xff\x80\0\n\r\0\x01\x7f"s;
    const auto set = set_of({value});
    expect_everywhere(set, "a"s + value + "\0\xff\x80"s, "a[scrubbed]\0\xff\x80"s);
}

TEST(Scrubber, LeavesEverythingElseAsItIs)
{
    const auto set = set_of({token});
    const std::string text = "tok_9fK2 tok_9fK2?>~mQx tok_ [scrubbed] ttttok_";
    expect_everywhere(set, text, text);
}

struct Replacement {
    const char* why;
    std::vector<std::string> values;
    const char* text;
    const char* expected;
};

TEST(Scrubber, ReplacesOverlappingOccurrencesTogether)
{
    const Replacement cases[] = {
        {"the longer of two that begin together", {"abcdefgh", "abcdefghijkl"}, "<abcdefghijkl>", "<[scrubbed]>"},
        {"the shorter if the longer does not end", {"abcdefgh", "abcdefghijkl"}, "<abcdefghijkX>", "<[scrubbed]ijkX>"},
        {"the shorter at the end of the body", {"abcdefgh", "abcdefghijkl"}, "<abcdefghijk", "<[scrubbed]ijk"},
        {"two that overlap", {"abcdefgh", "efghijkl"}, "<abcdefghijkl>", "<[scrubbed]>"},
        {"a value inside a longer one", {"cdefghij", "abcdefghijkl"}, "abcdefghijkl", "[scrubbed]"},
        {"a value inside one that does not end", {"cdefghij", "abcdefghijkl"}, "abcdefghijkX", "ab[scrubbed]kX"},
        {"the same value in a row of itself", {"aaaaaaaa"}, "aaaaaaaaaaaaaaaaaaab", "[scrubbed]b"},
        {"two values, one behind the other", {"abcdefgh", "hijklmno"}, "abcdefghhijklmno", "[scrubbed][scrubbed]"},
        {"one that overlaps one that does not end",
         {"abcdefgh", "abcdefghij12", "ij345678"},
         "abcdefghij345678",
         "[scrubbed][scrubbed]"},
        {"a value that is there twice", {"abcdefgh", "abcdefgh"}, "abcdefgh", "[scrubbed]"},
    };
    for (const auto& test : cases) {
        SCOPED_TRACE(test.why);
        EXPECT_EQ(replace_naively(test.text, all_spellings(test.values)), test.expected);
        expect_everywhere(set_of(test.values), test.text, test.expected);
    }
}

TEST(Scrubber, AgreesWithTheNaiveSearchOnRandomTexts)
{
    std::mt19937 random(7);
    const auto word = [&random](std::size_t shortest, std::size_t longest) {
        std::string out(std::uniform_int_distribution<std::size_t>(shortest, longest)(random), 'a');
        for (char& c : out)
            c = static_cast<char>('a' + random() % 2);
        return out;
    };
    for (int round = 0; round < 300; ++round) {
        std::vector<std::string> values;
        for (int i = 0; i < 4; ++i)
            values.push_back(word(8, 14));
        std::string text;
        while (text.size() < 200)
            text += random() % 3 == 0 ? values[random() % values.size()] : word(1, 12);
        const auto set = set_of(values);
        const auto expected = replace_naively(text, all_spellings(values));
        for (const auto& pieces : test::partitions(text))
            ASSERT_EQ(scrub_pieces(set, pieces), expected) << text;
    }
}

TEST(Scrubber, HoldsBackNoMoreThanTheBeginningOfAMatch)
{
    const auto set = set_of({token});
    Scrubber scrubber(set);
    std::string out;
    scrubber.feed("data: hello\n\n", out);
    EXPECT_EQ(out, "data: hello\n\n") << "event streams keep their pace";
    EXPECT_EQ(scrubber.held_back(), 0U);
    scrubber.feed("data: tok_9", out);
    EXPECT_EQ(scrubber.held_back(), 5U);
    EXPECT_EQ(out, "data: hello\n\ndata: ");
    scrubber.feed("X", out);
    EXPECT_EQ(scrubber.held_back(), 0U);
    EXPECT_EQ(out, "data: hello\n\ndata: tok_9X");
}

TEST(Scrubber, ReleasesWhatItHeldAtTheEnd)
{
    const auto set = set_of({token});
    Scrubber scrubber(set);
    std::string out;
    scrubber.feed(token.substr(0, token.size() - 1), out);
    EXPECT_EQ(out, "");
    scrubber.finish(out);
    EXPECT_EQ(out, token.substr(0, token.size() - 1));
    EXPECT_EQ(scrubber.replaced(), 0U);
}

TEST(Scrubber, FindsASecretThatBecameKnownInTheMiddleOfABody)
{
    const ScrubSet none;
    const auto set = set_of({token});
    const std::string behind = "data: " + token + "\n\n";
    for (std::size_t cut = 0; cut <= behind.size(); ++cut) {
        Scrubber scrubber(none);
        std::string out;
        scrubber.feed("data: hello\n\n", out);
        EXPECT_EQ(out, "data: hello\n\n");
        scrubber.use(set);
        scrubber.feed(std::string_view(behind).substr(0, cut), out);
        scrubber.feed(std::string_view(behind).substr(cut), out);
        scrubber.finish(out);
        EXPECT_EQ(out, "data: hello\n\ndata: [scrubbed]\n\n") << cut;
        EXPECT_EQ(scrubber.replaced(), 1U);
    }
}

TEST(Scrubber, SearchesWhatItHeldBackForTheNewSetToo)
{
    const std::string other = token.substr(0, 4) + "-another";
    const auto first = set_of({token});
    const auto both = set_of({token, other});
    for (const auto& [rest, expected] : {std::pair{token.substr(4), "<[scrubbed]>"},
                                         {other.substr(4), "<[scrubbed]>"},
                                         {std::string("no"), "<tok_no>"}}) {
        Scrubber scrubber(first);
        std::string out;
        scrubber.feed("<" + token.substr(0, 4), out);
        EXPECT_EQ(scrubber.held_back(), 4U);
        scrubber.use(both);
        scrubber.feed(rest + ">", out);
        scrubber.finish(out);
        EXPECT_EQ(out, expected);
    }
}

TEST(Scrubber, LosesNothingOfWhatItHeldBackWhenTheSetChanges)
{
    const auto first = set_of({token});
    const auto unlike = set_of({"unlike-all-else"});
    const ScrubSet none;
    for (const ScrubSet* next : {&unlike, &none}) {
        Scrubber scrubber(first);
        std::string out;
        scrubber.feed("<tok_", out);
        scrubber.use(*next);
        scrubber.feed("9", out);
        EXPECT_EQ(out, "<tok_9");
        scrubber.use(first);
        scrubber.feed("tok_", out);
        scrubber.use(*next);
        scrubber.finish(out);
        EXPECT_EQ(out, "<tok_9tok_");
    }
}

/// The whole of it, with every length as it was.
std::string scrub_in_place(const ScrubSet& set, const std::vector<std::string_view>& pieces)
{
    Scrubber scrubber(set, ReplacedLength::kept);
    std::string out;
    for (const auto piece : pieces)
        scrubber.feed(piece, out);
    scrubber.finish(out);
    return out;
}

TEST(Scrubber, KeepsEveryLengthWhereItIsToldTo)
{
    const Replacement cases[] = {
        {"longer than the replacement", {"abcdefghijkl"}, "<abcdefghijkl>", "<[scrubbed]**>"},
        {"shorter", {"abcdefgh"}, "<abcdefgh>", "<[scrubbe>"},
        {"two that overlap", {"abcdefgh", "efghijklmnop"}, "<abcdefghijklmnop>", "<[scrubbe********>"},
        {"one inside another", {"cdefghij", "abcdefghijkl"}, "abcdefghijkl", "[scrubbed]**"},
        {"a row", {"aaaaaaaa"}, "aaaaaaaaaaab", "[scrubbe***b"},
    };
    for (const auto& test : cases) {
        SCOPED_TRACE(test.why);
        const auto set = set_of(test.values);
        const std::string_view text(test.text);
        ASSERT_EQ(text.size(), std::string_view(test.expected).size());
        for (std::size_t cut = 0; cut <= text.size(); ++cut) {
            const auto out = scrub_in_place(set, {text.substr(0, cut), text.substr(cut)});
            EXPECT_EQ(out.size(), text.size()) << cut;
            for (const auto& value : test.values)
                EXPECT_EQ(out.find(value), std::string::npos) << out;
        }
        EXPECT_EQ(scrub_in_place(set, {text}), test.expected);
    }
}

TEST(Scrubber, FindsBase64InIndentedLinesAtEveryCut)
{
    const auto set = set_of({token});
    const auto encoded = base64(token, "+/");
    const std::string deepest(64, ' ');
    for (const std::string& gap : {std::string("\n"), std::string("\r\n"), std::string("\n  "), std::string("\n\t"),
                                   std::string("\r\n        "), "\n" + deepest, "\r\n" + deepest}) {
        const auto text = "key: |\n  " + std::string(16, 'A') + encoded.substr(0, 9) + gap + encoded.substr(9) + "\n";
        SCOPED_TRACE(gap);
        for (std::size_t cut = 0; cut <= text.size(); ++cut) {
            const std::string_view view(text);
            std::uint64_t replaced = 0;
            scrub_pieces(set, {view.substr(0, cut), view.substr(cut)}, &replaced);
            EXPECT_EQ(replaced, 1U) << cut;
        }
        EXPECT_EQ(replace_naively(text, all_spellings({token})), scrub_pieces(set, {text}));
    }
    const auto far = std::string(16, 'A') + encoded.substr(0, 9) + "\n" + std::string(66, ' ') + encoded.substr(9);
    EXPECT_EQ(scrub_pieces(set, {far}), far) << "that is no indentation any more";
}

TEST(Scrubber, ReplacesEverySpellingAtEveryCut)
{
    for (const auto& value :
         {token, std::string("ghp_9aZ2xK7qLm4Rt0VwYb8N"), std::string("a/b+c=\"d\\e'f<g>&h i%j~*")}) {
        const auto set = set_of({value});
        for (const auto& spelling : spellings_of(value)) {
            SCOPED_TRACE(spelling.bytes);
            const auto text = "." + spelling.bytes + "!";
            for (std::size_t cut = 0; cut <= text.size(); ++cut) {
                const std::string_view view(text);
                std::uint64_t replaced = 0;
                ASSERT_EQ(scrub_pieces(set, {view.substr(0, cut), view.substr(cut)}, &replaced), ".[scrubbed]!") << cut;
                ASSERT_EQ(replaced, 1U);
            }
            ASSERT_EQ(scrub_pieces(set, test::cut_every(text, 1)), ".[scrubbed]!");
        }
    }
}

} // namespace
} // namespace aduana::proxy
