// SPDX-License-Identifier: Apache-2.0
// Parameters that one server finds where another does not, and the one place where a value goes.
#include "proxy/core/parameters.hpp"

#include <gtest/gtest.h>

#include <random>

namespace aduana::proxy {
namespace {

/// `pairs` with "VALUE" in place of the parameter `key`, "absent", or "refused".
std::string filled(std::string_view pairs)
{
    const auto slot = find_parameter(pairs, "key");
    if (!slot)
        return "refused";
    const auto& found = *slot;
    return found ? std::string(FilledText(pairs, *found, "VALUE").reveal()) : "absent";
}

struct Case {
    const char* sentence;
    std::string_view pairs;
    std::string_view expected;
};

TEST(Parameters, HaveOnePlaceOrNone)
{
    const Case cases[] = {
        {"an empty query has none", "", "absent"},
        {"other parameters are none", "a=1&keys=2&ke=3", "absent"},
        {"a value that looks like one is none", "a=key%3D1", "absent"},
        {"alone", "key=1", "key=VALUE"},
        {"an empty value", "key=", "key=VALUE"},
        {"every other byte stays", "a=%7e+b&&key=x%20y&c=1&", "a=%7e+b&&key=VALUE&c=1&"},
        {"an encoded name is the same name", "%6bey=1&a", "%6bey=VALUE&a"},
        {"a value may hold an equals sign", "key=a=b", "key=VALUE"},
        {"twice", "key=1&key=2", "refused"},
        {"twice, once encoded", "key=1&k%65y=2", "refused"},
        {"without an equals sign", "key", "refused"},
        {"in another case", "Key=1", "refused"},
        {"as an array", "key[]=1", "refused"},
        {"as an array beside itself", "key=1&key[0]=2", "refused"},
        {"with a blank in front", "+key=1", "refused"},
        {"with a NUL behind", "key%00x=1", "refused"},
        {"behind a semicolon", "a=1;key=2", "refused"},
        {"before a semicolon", "key=1;a=2", "refused"},
        {"in both readings", "a=1;key=2&key=3", "refused"},
    };
    for (const auto& test : cases) {
        SCOPED_TRACE(test.sentence);
        EXPECT_EQ(filled(test.pairs), test.expected);
    }
}

TEST(Parameters, FilledTextsReadTheSameButForTheOneValue)
{
    std::mt19937 random(20240229);
    constexpr std::string_view parts[] = {"key=", "key", "=", "&", "&", ";", "%6bey=", "a", "[]", "+"};
    int changed = 0;
    for (int i = 0; i < 20000; ++i) {
        std::string pairs;
        for (auto size = random() % 9; size > 0; --size)
            pairs += parts[random() % std::size(parts)];
        const auto out = filled(pairs);
        if (out == "refused" || out == "absent")
            continue;
        ++changed;
        int values = 0;
        for_each_parameter(out, [&](std::string_view key, std::string_view value) {
            values += value.find("VALUE") != value.npos ? 1 : 0;
            EXPECT_EQ(form_decoded(key) == "key", value == "VALUE") << pairs;
        });
        EXPECT_EQ(values, 1) << pairs;
    }
    EXPECT_GT(changed, 100);
}

} // namespace
} // namespace aduana::proxy
