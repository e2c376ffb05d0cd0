// SPDX-License-Identifier: Apache-2.0
// Secrets in every searched form, at every cut; compared with a search that is too simple to be wrong.
#include "proxy/core/scrub.hpp"

#include "tests/support/naive_scrub.hpp"
#include "tests/support/partition.hpp"

#include <gtest/gtest.h>

#include <array>

namespace aduana::proxy {
namespace {

using test::all_spellings;
using test::replace_naively;

ScrubSet set_of(const std::vector<std::string>& values)
{
    std::vector<Secret> secrets;
    for (const auto& value : values)
        secrets.push_back(Secret::copy_of(value));
    std::vector<const Secret*> pointers;
    for (const auto& secret : secrets)
        pointers.push_back(&secret);
    return ScrubSet::of(pointers);
}

/// RFC 4648, with padding, a byte at a time.
std::string base64(std::string_view in, std::string_view last_two)
{
    const std::string alphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + std::string(last_two);
    std::string out;
    for (std::size_t at = 0; at < in.size(); at += 3) {
        std::array<unsigned, 3> bytes{};
        const auto count = std::min<std::size_t>(3, in.size() - at);
        for (std::size_t i = 0; i < count; ++i)
            bytes[i] = static_cast<unsigned char>(in[at + i]);
        const unsigned group = bytes[0] << 16 | bytes[1] << 8 | bytes[2];
        for (unsigned i = 0; i < 4; ++i)
            out.push_back(i <= count ? alphabet[group >> (18 - 6 * i) & 63] : '=');
    }
    return out;
}

std::string scrub_pieces(const ScrubSet& set, const test::Pieces& pieces, std::uint64_t* replaced = nullptr)
{
    Scrubber scrubber(set);
    std::string out;
    for (const auto piece : pieces)
        scrubber.feed(piece, out);
    scrubber.finish(out);
    EXPECT_EQ(scrubber.held_back(), 0U);
    if (replaced)
        *replaced = scrubber.replaced();
    return out;
}

void expect_everywhere(const ScrubSet& set, std::string_view text, const std::string& expected)
{
    for (const auto& pieces : test::partitions(text))
        ASSERT_EQ(scrub_pieces(set, pieces), expected) << text;
    std::string whole;
    set.scrub(text, whole);
    EXPECT_EQ(whole, expected);
}

const std::string token = "tok_9fK2?>~mQx7";

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

TEST(Scrubber, ReplacesOverlappingOccurrencesTogether)
{
    struct Case {
        const char* why;
        std::vector<std::string> values;
        const char* text;
        const char* expected;
    };
    const Case cases[] = {
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

/// As base64(1), PEM and xxd print: lines of `width` characters.
std::string in_lines(std::string_view encoded, std::size_t width, std::string_view line_end)
{
    std::string out;
    for (; !encoded.empty(); encoded.remove_prefix(std::min(width, encoded.size())))
        out.append(encoded.substr(0, width)).append(line_end);
    return out;
}

TEST(Scrubber, SeesThroughTheLinesThatEncodingsArePrintedIn)
{
    const auto set = set_of({token});
    const auto spellings = all_spellings({token});
    for (const std::size_t width : {60U, 64U, 76U}) {
        for (const std::string line_end : {"\n", "\r\n"}) {
            for (std::size_t before = 40; before < 60; ++before) {
                const auto text = in_lines(base64(std::string(before, 'u') + token + "more", "+/"), width, line_end);
                SCOPED_TRACE(text);
                const auto expected = replace_naively(text, spellings);
                EXPECT_NE(expected.find("[scrubbed]"), std::string::npos);
                expect_everywhere(set, text, expected);
            }
        }
    }
}

TEST(Scrubber, SeesThroughTheLinesOfALongValueInHexToo)
{
    std::string value;
    std::string hex;
    for (unsigned i = 0; i < 100; ++i) {
        const auto byte = static_cast<unsigned char>(33 + i * 7 % 90);
        value.push_back(static_cast<char>(byte));
        hex.push_back("0123456789abcdef"[byte >> 4]);
        hex.push_back("0123456789abcdef"[byte & 15]);
    }
    const auto set = set_of({value});
    for (std::size_t before = 0; before < 60; before += 7) {
        const auto text = in_lines(std::string(before, '0') + hex + "00", 60, "\n");
        const auto out = scrub_pieces(set, test::cut_every(text, 5));
        EXPECT_EQ(out, replace_naively(text, all_spellings({value}))) << text;
        EXPECT_EQ(out.substr(0, before + 10), std::string(before, '0') + "[scrubbed]");
    }
}

TEST(Scrubber, DoesNotHoldBackTheEndOfAnyOtherLine)
{
    const auto set = set_of({token});
    const auto first = base64(token, "+/").substr(0, 6);
    for (const auto& line : {"data: " + first, std::string(53, 'x') + first, std::string(60, '-') + first}) {
        Scrubber scrubber(set);
        std::string out;
        scrubber.feed(line + "\n", out);
        EXPECT_EQ(out, line + "\n");
    }
    Scrubber scrubber(set);
    std::string out;
    scrubber.feed(std::string(54, 'x') + first + "\r\n", out);
    EXPECT_EQ(scrubber.held_back(), first.size() + 2) << "a full line of base64 may go on";
}

TEST(Scrubber, RemembersTheLineThatItReleased)
{
    const auto set = set_of({token});
    const auto text = in_lines(base64(std::string(45, 'u') + token, "+/"), 64, "\n");
    const auto expected = replace_naively(text, all_spellings({token}));
    for (const std::size_t size : {1U, 7U, 59U, 60U, 61U, 64U})
        EXPECT_EQ(scrub_pieces(set, test::cut_every(text, size)), expected) << size;
}

TEST(Scrubber, FindsAValueOfWhichOnlySomeBytesAreEscaped)
{
    const auto set = set_of({token});
    const auto spellings = all_spellings({token});
    const std::string hex = "0123456789abcdef";
    const auto escaped = [&](char c, unsigned way) -> std::string {
        const auto byte = static_cast<unsigned char>(c);
        const auto digits = std::string{hex[byte >> 4], hex[byte & 15]};
        const std::string ways[] = {std::string(1, c),
                                    "%" + digits,
                                    "\\u00" + digits,
                                    "&#x" + digits + ";",
                                    "%25" + digits,
                                    "\\x" + digits,
                                    "&#" + std::to_string(byte) + ";",
                                    "&amp;#x" + digits + ";",
                                    "%5cu00" + digits};
        return ways[way % 9];
    };
    std::mt19937 random(23);
    for (int round = 0; round < 60; ++round) {
        std::string text = "<a href='?q=100%&t=";
        for (const char c : token)
            text += escaped(c, static_cast<unsigned>(random()));
        text += "&'>";
        const auto expected = replace_naively(text, spellings);
        EXPECT_EQ(expected, "<a href='?q=100%&t=[scrubbed]&'>") << text;
        expect_everywhere(set, text, expected);
    }
}

TEST(Scrubber, FindsWrappedBase64InsideOfAJsonString)
{
    const auto set = set_of({token});
    auto text = in_lines(base64(std::string(47, 'u') + token + "more", "+/"), 76, "\\n");
    EXPECT_NE(replace_naively(text, all_spellings({token})), text);
    expect_everywhere(set, text, replace_naively(text, all_spellings({token})));
}

TEST(Scrubber, HoldsBackWhatMayBecomeAnEscapeAndNoMore)
{
    const auto set = set_of({token});
    for (const auto& held : std::vector<std::string>{"%", "\\", "&", "&am", "%7", "\\u00", "&#11"}) {
        Scrubber scrubber(set);
        std::string out;
        scrubber.feed("= " + held, out);
        EXPECT_EQ(scrubber.held_back(), held.size()) << held;
        scrubber.feed("~ ", out);
        EXPECT_EQ(out, "= " + held + "~ ");
    }
}

TEST(Scrubber, ReplacesWhatOverlapsTogether)
{
    const auto set = set_of({"abcdefgh%69jkl", "ghijklmnop"});
    expect_everywhere(set, "<abcdefgh%69jklmnop>", "<[scrubbed]>");
}

TEST(ScrubSet, PutsAPlaceholderWhereTheValueHasOne)
{
    const auto one = Secret::copy_of("first-secret");
    const auto two = Secret::copy_of("second-secret");
    const auto set = ScrubSet::of({ScrubbedValue{&one, "ph_1"}, ScrubbedValue{&two}});
    std::string out;
    EXPECT_EQ(set.scrub("<first-secret second-secret terces-tsrif>", out), 3U);
    EXPECT_EQ(out, "<ph_1 [scrubbed] ph_1>");
}

TEST(ScrubSet, JoinedSetsAreSearchedLikeOne)
{
    std::mt19937 random(13);
    const std::vector<std::string> values{"abababab", "babaabab", "aabbaabbaa", "abababababab"};
    const auto joined = ScrubSet::joined(set_of({values[0], values[1]}), set_of({values[2], values[3]}));
    for (int round = 0; round < 100; ++round) {
        std::string text;
        while (text.size() < 100)
            text +=
                random() % 3 == 0 ? values[random() % values.size()] : std::string(1, random() % 2 == 0 ? 'a' : 'b');
        const auto expected = replace_naively(text, all_spellings(values));
        for (const auto& pieces : test::partitions(text))
            ASSERT_EQ(scrub_pieces(joined, pieces), expected) << text;
    }
}

TEST(ScrubSet, WithoutValuesLetsEverythingPass)
{
    const ScrubSet none;
    EXPECT_TRUE(none.empty());
    EXPECT_TRUE(set_of({}).empty());
    expect_everywhere(none, token, token);
}

TEST(ScrubSet, DoesNotSearchForValuesShorterThanEightBytes)
{
    EXPECT_TRUE(set_of({"1234567", ""}).empty());
    EXPECT_FALSE(set_of({"12345678"}).empty());
}

TEST(ScrubSet, KeepsWorkingAfterAMove)
{
    auto first = set_of({token});
    const ScrubSet second(std::move(first));
    ScrubSet third;
    third = set_of({"another-secret"});
    std::string out;
    EXPECT_EQ(second.scrub(token, out), 1U);
    EXPECT_EQ(third.scrub("another-secret", out), 1U);
}

TEST(ScrubSet, SearchesForManyLongValuesAtOnce)
{
    std::mt19937 random(11);
    std::vector<std::string> values;
    for (int i = 0; i < 64; ++i) {
        std::string value(2048, ' ');
        for (char& c : value)
            c = static_cast<char>(random());
        values.push_back(value);
    }
    const auto set = set_of(values);
    std::string text;
    for (const auto& value : values)
        text += value + value.substr(0, 100);
    EXPECT_EQ(scrub_pieces(set, test::cut_every(text, 333)), replace_naively(text, all_spellings(values)));
}

} // namespace
} // namespace aduana::proxy
