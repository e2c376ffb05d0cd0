// SPDX-License-Identifier: Apache-2.0
// Both engines find the same, and everything.
#include "proxy/core/sieve.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>

namespace aduana::proxy {
namespace {

using Found = std::vector<std::pair<std::size_t, std::uint32_t>>;

Found find(const Sieve& sieve, std::string_view window)
{
    std::vector<Sieve::Hit> hits;
    sieve.find(window, hits);
    EXPECT_TRUE(std::ranges::is_sorted(hits, {}, &Sieve::Hit::end));
    Found found;
    for (const auto& hit : hits)
        found.emplace_back(hit.end, hit.literal);
    std::ranges::sort(found);
    return found;
}

TEST(Sieve, FindsOverlappingLiteralsAndThoseInsideOfOthers)
{
    for (const auto engine : {Sieve::Engine::fastest, Sieve::Engine::plain}) {
        const Sieve sieve({"abcd", "bc", "cdab"}, engine);
        EXPECT_EQ(find(sieve, "abcdabcd"), (Found{{3, 1}, {4, 0}, {6, 2}, {7, 1}, {8, 0}}));
        EXPECT_EQ(find(sieve, ""), Found{});
    }
}

TEST(Sieve, FindsBytesThatAreNoText)
{
    using namespace std::string_view_literals;
    for (const auto engine : {Sieve::Engine::fastest, Sieve::Engine::plain}) {
        const Sieve sieve({"\0\0\0\xff"sv, "\r\n\0"sv}, engine);
        EXPECT_EQ(find(sieve, "\0\0\0\0\xff\r\n\0"sv), (Found{{5, 0}, {8, 1}}));
    }
}

TEST(Sieve, WithoutLiteralsFindsNothing)
{
    EXPECT_EQ(find(Sieve({}), "anything"), Found{});
}

TEST(Sieve, BothEnginesAgreeOnManyLiterals)
{
    std::mt19937 random(17);
    for (int round = 0; round < 30; ++round) {
        std::set<std::string> words;
        for (int i = 0; i < 200; ++i) {
            std::string word(6 + random() % 30, ' ');
            for (char& c : word)
                c = static_cast<char>('a' + random() % 3);
            words.insert(word);
        }
        std::string text;
        while (text.size() < 2000)
            text += random() % 2 == 0 ? *std::next(words.begin(), random() % words.size()) : std::string(1, 'a');
        const std::vector<std::string_view> literals(words.begin(), words.end());
        EXPECT_EQ(find(Sieve(literals), text), find(Sieve(literals, Sieve::Engine::plain), text));
    }
}

} // namespace
} // namespace aduana::proxy
