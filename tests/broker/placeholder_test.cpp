// SPDX-License-Identifier: Apache-2.0
// Placeholders: their form, and that they tell nothing.
#include "broker/core/placeholder.hpp"

#include "broker/mint/secret_writer.hpp"
#include "tests/broker/samples.hpp"

#include <regex>

namespace aduana::broker {
namespace {

policy::CredentialDeclaration declaration(std::vector<std::string> variables, std::string prefix)
{
    policy::CredentialDeclaration declared;
    declared.placeholder_env = std::move(variables);
    declared.placeholder_prefix = std::move(prefix);
    return declared;
}

TEST(Placeholder, HasThePrefixAMarkAndTwentySixRandomCharacters)
{
    const auto made = make_placeholders(declaration({"TOKEN"}, "iss_"), samples::counting_random());
    ASSERT_EQ(made.size(), 1U);
    EXPECT_EQ(made[0].variable, "TOKEN");
    EXPECT_EQ(made[0].value, "iss_EGP_ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    EXPECT_TRUE(std::regex_match(made[0].value, std::regex("iss_EGP_[A-Z2-7]{26}")));
}

TEST(Placeholder, OfTheShapeOfAJwtCanBeDecodedAndIsGoodForLong)
{
    auto declared = declaration({"TOKEN"}, "");
    declared.placeholder_shape = policy::PlaceholderShape::jwt;
    const auto value = make_placeholders(declared, samples::counting_random()).at(0).value;
    const auto first = value.find('.');
    const auto second = value.find('.', first + 1);
    ASSERT_NE(second, value.npos);
    EXPECT_EQ(from_base64url(value.substr(0, first))->reveal(), R"({"alg":"ES256","typ":"JWT"})");
    EXPECT_EQ(from_base64url(value.substr(first + 1, second - first - 1))->reveal(),
              R"({"iss":"aduana","sub":"placeholder","exp":4102444800})");
    EXPECT_TRUE(std::regex_match(value.substr(second + 1), std::regex("EGP_[A-Z2-7]{82}"))) << value;
    EXPECT_EQ(value.substr(second + 1).size(), 86U);
}

TEST(Placeholder, AllVariablesOfACredentialHaveTheSameValue)
{
    const auto made = make_placeholders(declaration({"ONE", "TWO"}, ""), samples::counting_random());
    ASSERT_EQ(made.size(), 2U);
    EXPECT_EQ(made[0].value, made[1].value);
}

TEST(Placeholder, TheNextOneDiffers)
{
    const auto random = samples::counting_random();
    const auto first = make_placeholders(declaration({"ONE"}, ""), random);
    const auto second = make_placeholders(declaration({"ONE"}, ""), random);
    EXPECT_NE(first[0].value, second[0].value);
}

TEST(Placeholder, ThoseOfAwsHaveItsShapes)
{
    auto declared = declaration({"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"}, "");
    declared.placeholder_is_aws = true;
    const auto made = make_placeholders(declared, samples::counting_random());
    ASSERT_EQ(made.size(), 3U);
    EXPECT_EQ(made[0].variable, "AWS_ACCESS_KEY_ID");
    EXPECT_TRUE(std::regex_match(made[0].value, std::regex("AKIA[A-Z2-7]{16}"))) << made[0].value;
    EXPECT_TRUE(std::regex_match(made[1].value, std::regex("[A-Z2-7]{40}"))) << made[1].value;
    EXPECT_TRUE(std::regex_match(made[2].value, std::regex("EGP_[A-Z2-7]{26}"))) << made[2].value;
}

TEST(Placeholder, WithoutVariablesThereIsNone)
{
    EXPECT_TRUE(make_placeholders(declaration({}, "iss_"), samples::counting_random()).empty());
}

TEST(RandomText, UsesEveryCharacterOfItsAlphabetEquallyOften)
{
    std::map<char, int> counts;
    for (const char character : random_base32(samples::counting_random(), 256))
        ++counts[character];
    EXPECT_EQ(counts.size(), 32U);
    for (const auto& [character, count] : counts)
        EXPECT_EQ(count, 8) << character;
}

} // namespace
} // namespace aduana::broker
