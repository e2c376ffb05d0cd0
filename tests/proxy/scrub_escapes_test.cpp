// SPDX-License-Identifier: Apache-2.0
// Secrets in lines, and secrets of which some or all bytes are escaped.
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
    for (const std::size_t width : {16U, 20U, 60U, 64U, 76U}) {
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
    for (const auto& line : {"data: " + first, std::string(9, 'x') + first, std::string(60, '-') + first}) {
        Scrubber scrubber(set);
        std::string out;
        scrubber.feed(line + "\n", out);
        EXPECT_EQ(out, line + "\n");
    }
    Scrubber scrubber(set);
    std::string out;
    scrubber.feed(std::string(10, 'x') + first + "\r\n", out);
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

TEST(Scrubber, RemembersALineThatIsFullOnlyWithoutTheEscapesThatItReleased)
{
    const auto set = set_of({token});
    for (const std::string escape : {"%75", "&#x75;", "\\u0075", "%2575"}) {
        const auto lines = in_lines(base64(std::string(9, 'u') + token, "+/"), 20, "\r\n");
        const auto text = lines.substr(0, 5) + escape + lines.substr(6);
        const auto expected = replace_naively(text, all_spellings({token}));
        EXPECT_NE(expected, text);
        expect_everywhere(set, text, expected);
        const auto before_another = text + std::string(2000, '-') + escape;
        for (std::size_t cut = 0; cut < text.size(); ++cut) {
            const std::string_view view(before_another);
            EXPECT_EQ(scrub_pieces(set, {view.substr(0, cut), view.substr(cut)}),
                      expected + before_another.substr(text.size()))
                << text << " cut at " << cut;
        }
    }
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

std::string hex_of(char c)
{
    constexpr std::string_view digits = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    return {digits[byte >> 4], digits[byte & 15]};
}

std::string html(std::string_view text)
{
    std::string out;
    for (const char c : text)
        out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : std::string(1, c);
    return out;
}

std::string json(std::string_view text)
{
    std::string out;
    for (const char c : text)
        out += c == '"' || c == '\\' ? std::string{'\\', c}
               : c == '<'            ? "\\u003c"
               : c == '>'            ? "\\u003e"
                                     : std::string(1, c);
    return out;
}

std::string percent(std::string_view text)
{
    std::string out;
    for (const char c : text)
        out += std::isalnum(static_cast<unsigned char>(c)) != 0 ? std::string(1, c) : "%" + hex_of(c);
    return out;
}

TEST(Scrubber, FindsAValueThatHoldsWhatLooksLikeAnEscape)
{
    using Writer = std::string (*)(std::string_view);
    for (const std::string value : {"pg-pw-p%40ss>word%2F9911", "W!n%FbB0J\"Ax>zXMcU1q", "a\\nb\\u0041<secret&lt;42",
                                    "%41%42%43%44&amp;&lt;x>y"}) {
        const auto set = set_of({value});
        for (const Writer once : {html, json, percent}) {
            for (const Writer twice : {html, json, percent}) {
                const auto text = "{\"t\": \"" + twice(once(value)) + "\"}";
                const auto out = scrub_pieces(set, {text});
                EXPECT_EQ(out, "{\"t\": \"[scrubbed]\"}") << text;
                expect_everywhere(set, text, out);
            }
        }
        for (const auto& first :
             {"&#" + std::to_string(value[0]) + ";", "%" + hex_of(value[0]), "\\u00" + hex_of(value[0])})
            EXPECT_EQ(scrub_pieces(set, {first + value.substr(1)}), "[scrubbed]") << first << value;
    }
}

TEST(Scrubber, IsNotLedAstrayByTheBeginningOfAnotherEscape)
{
    const std::string value = "abcdEF>ghi\"JKL/mnoPQR+stu=xyz";
    const auto set = set_of({value});
    for (const std::string before : {"%", "%5", "%2", "%%", "\\x", "\\u", "\\u00", "\\u005", "&#x", "&#", "\\"}) {
        const auto all = before + value;
        for (const auto& text : {html(html(all)), json(json(all)), json(all), html(json(all))}) {
            const auto out = scrub_pieces(set, {text});
            EXPECT_TRUE(out.ends_with("[scrubbed]")) << text;
            expect_everywhere(set, text, out);
        }
        const auto text = before + html(html(value));
        if (before.front() != '&')
            EXPECT_EQ(scrub_pieces(set, {text}), before + "[scrubbed]") << text;
    }
}

TEST(Scrubber, FindsBase64OfBase64InLines)
{
    std::string value;
    for (int i = 0; i < 116; ++i)
        value.push_back("abcdefghijklmnopqrstuvwxyz?>~0123456789"[i * 7 % 39]);
    const auto set = set_of({value});
    for (const std::string_view inner : {"+/", "-_"}) {
        for (const std::string_view outer : {"+/", "-_"}) {
            const auto text = base64("pre" + base64(value, inner) + "=", outer);
            EXPECT_NE(scrub_pieces(set, {text}).find("[scrubbed]"), std::string::npos) << text;
        }
        const auto text = in_lines(base64(base64(value, inner), "+/"), 76, "\n");
        EXPECT_LT(scrub_pieces(set, {text}).size(), 20U) << text;
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
    for (int i = 0; i < 16; ++i) {
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
