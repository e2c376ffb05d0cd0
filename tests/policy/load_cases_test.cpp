// SPDX-License-Identifier: Apache-2.0
// Every file of tests/vectors/load gives exactly what it says, and every message of the loader is said by one of them.
#include "tests/policy/load_cases.hpp"

#include "policy/load/messages.hpp"

#include <gtest/gtest.h>

#include <set>

namespace aduana::policy::testing {
namespace {

TEST(LoadCases, GiveTheExactTextThatTheySay)
{
    const auto cases = all_cases();
    ASSERT_GT(cases.size(), 80U);
    for (const auto& test : cases) {
        SCOPED_TRACE(test.file + ": " + test.sentence);
        ASSERT_TRUE(test.parts.contains("says"));
        EXPECT_EQ(to_text(run(test)), test.parts.at("says"));
    }
}

TEST(LoadCases, SayEveryMessageThatThereIs)
{
    std::set<std::string_view> said;
    for (const auto& test : all_cases()) {
        for (const auto& error : run(test))
            said.insert(error.code);
    }
    // These need files that are too long to be read as a case; LoadPolicy has their tests.
    const std::set<std::string_view> elsewhere{"too-many", "tunnel-too-many"};
    for (const auto& row : load::all_mistakes())
        EXPECT_NE(said.contains(row.code), elsewhere.contains(row.code)) << row.code;
}

TEST(LoadCases, AreReadTheSameAfterAnUnrelatedFile)
{
    // A loader with state left over from one file would say other things about the next.
    const auto cases = all_cases();
    for (std::size_t i = 0; i + 1 < cases.size(); ++i) {
        const auto first = to_text(run(cases[i + 1]));
        (void)run(cases[i]);
        EXPECT_EQ(to_text(run(cases[i + 1])), first) << cases[i + 1].sentence;
    }
}

TEST(LoadMessages, StandInTheOrderOfTheEnumeration)
{
    std::set<std::string_view> codes;
    std::size_t index = 0;
    for (const auto& row : load::all_mistakes()) {
        EXPECT_EQ(static_cast<std::size_t>(row.mistake), index++) << row.code;
        EXPECT_EQ(&load::text_of(row.mistake), &row);
        EXPECT_TRUE(codes.insert(row.code).second) << row.code << " is not unique";
        EXPECT_FALSE(row.message.empty()) << row.code;
        EXPECT_FALSE(row.help.empty()) << row.code << " leaves the reader alone";
    }
}

TEST(LoadMessages, FillSlotsInOnePassSoThatAnArgumentCannotForgeOne)
{
    EXPECT_EQ(load::fill("%1 and %2, %1", {"a", "b"}), "a and b, a");
    EXPECT_EQ(load::fill("%1%2", {"%2", "x"}), "%2x");
    EXPECT_EQ(load::fill("100% of %3 %0 %", {"a"}), "100% of %3 %0 %");
}

} // namespace
} // namespace aduana::policy::testing
