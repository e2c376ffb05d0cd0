// SPDX-License-Identifier: Apache-2.0
// Cores in every spelling, at every cut.
#include "proxy/core/placeholder_search.hpp"

#include "tests/support/partition.hpp"

#include <gtest/gtest.h>

namespace aduana::proxy {
namespace {

const std::string a = "EGP_ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const std::string b = "EGP_22222222222222222222222222";

std::string found_in(const test::Pieces& pieces)
{
    std::string all;
    PlaceholderSearch search;
    for (const auto piece : pieces)
        search.feed(piece, [&all](std::string_view core) { all.append(all.empty() ? "" : ",").append(core); });
    return all;
}

struct Case {
    const char* sentence;
    std::string text;
    std::string expected;
};

TEST(PlaceholderSearch, FindsEverySpellingAtEveryCut)
{
    std::string percent;
    std::string json;
    for (const char c : a) {
        constexpr std::string_view digits = "0123456789abcdef";
        const std::string hex{digits[static_cast<unsigned char>(c) >> 4], digits[static_cast<unsigned char>(c) & 15]};
        percent += "%" + hex;
        json += "\\u00" + hex;
    }
    const Case cases[] = {
        {"alone", a, a},
        {"behind a prefix and before more", "ghp_" + a + "A1", a},
        {"one behind the other", a + b, a + "," + b},
        {"percent-encoded", "?k=" + percent, a},
        {"partly percent-encoded", "%45GP%5f" + a.substr(4), a},
        {"with the escapes of JSON", "{\"k\":\"" + json + "\"}", a},
        {"one character escaped", "\\u0045" + a.substr(1), a},
        {"behind an escape that is none", "%" + a, a},
        {"behind half an escape, which it completes", "%4" + a, a},
        {"behind an escape of another character", "\\n" + a, a},
        {"behind a broken escape", "\\u00" + a, a},
        {"behind the beginning of one", "EGP_AB" + a, a},
        {"behind a mark", "EGP_" + a, a},
        {"behind its own first letters", "EEGEGP" + a, a},
        {"its mark within what looks like one", "EGP_AAAAAAAAAAAAAAAAAAAAAAA" + a,
         "EGP_AAAAAAAAAAAAAAAAAAAAAAAEGP," + a},
        {"one character short", a.substr(0, 29), ""},
        {"one character short before something else", a.substr(0, 29) + "." + a.substr(29), ""},
        {"in lower case", "egp_abcdefghijklmnopqrstuvwxyz", ""},
        {"with a digit that base32 lacks", "EGP_ABCDEFGHIJKLMNOPQRSTUVWXY1", ""},
        {"nothing", "", ""},
    };
    for (const auto& test : cases) {
        SCOPED_TRACE(test.sentence);
        for (const auto& pieces : test::partitions(test.text))
            EXPECT_EQ(found_in(pieces), test.expected);
    }
}

} // namespace
} // namespace aduana::proxy
