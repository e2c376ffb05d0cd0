// SPDX-License-Identifier: Apache-2.0
// Which values are admitted, and what is said of those that are not.
#include "broker/core/vault.hpp"

#include <gtest/gtest.h>

namespace aduana::broker {
namespace {

using namespace std::string_view_literals;

std::string verdict(std::string_view value)
{
    Vault vault;
    const auto put = vault.put("issues", Secret::copy_of(value));
    return put ? "admitted" : describe(put.error());
}

std::string admitted(std::string_view value)
{
    Vault vault;
    if (!vault.put("issues", Secret::copy_of(value)))
        return "refused";
    return std::string(vault.find("issues")->reveal());
}

TEST(Vault, DropsExactlyOneLineEnd)
{
    EXPECT_EQ(admitted("secret-value"), "secret-value");
    EXPECT_EQ(admitted("secret-value\n"), "secret-value");
    EXPECT_EQ(admitted("secret-value\r\n"), "secret-value");
    EXPECT_EQ(admitted("secret-value\n\n"), "refused");
    EXPECT_EQ(admitted("secret-value\r\n\r\n"), "refused");
    EXPECT_EQ(admitted("secret-value\r"), "refused");
}

TEST(Vault, NamesTheCredentialAndThePositionOfABadByte)
{
    const std::string remedy = "; store the bare value: visible ASCII only, on one line";
    struct Case {
        std::string_view value;
        std::string expected;
    };
    const std::vector<Case> cases = {
        {"with space"sv, "a space at byte 5 of 10"},
        {" leading-space"sv, "a space at byte 1 of 14"},
        {"tabulator\t"sv, "a space at byte 10 of 10"},
        {"value\r\nX-Evil: y"sv, "a line end at byte 6 of 16"},
        {"value-\0-value"sv, "a NUL byte at byte 7 of 13"},
        {"value-\x7f-value"sv, "a control character at byte 7 of 13"},
        {"value-\x1b[2J"sv, "a control character at byte 7 of 10"},
        {"value-\xc3\xa9"sv, "a byte outside ASCII at byte 7 of 8"},
        {"value-\xff-value"sv, "a byte outside ASCII at byte 7 of 13"},
    };
    for (const auto& test : cases) {
        SCOPED_TRACE(test.expected);
        EXPECT_EQ(verdict(test.value), "credential 'issues': its value has " + test.expected + remedy);
    }
}

TEST(Vault, EveryByteOutsideVisibleAsciiIsRefused)
{
    for (int byte = 0; byte < 256; ++byte) {
        SCOPED_TRACE(byte);
        const auto value = "before-" + std::string(1, static_cast<char>(byte)) + "-after";
        EXPECT_EQ(verdict(value) == "admitted", byte >= 0x21 && byte <= 0x7e);
    }
}

TEST(Vault, LengthHasBothBounds)
{
    EXPECT_EQ(verdict(""), "credential 'issues': its value is empty; write the secret into its source");
    EXPECT_EQ(verdict("\n"), "credential 'issues': its value is empty; write the secret into its source");
    EXPECT_EQ(verdict("7-bytes\n"), "credential 'issues': its value is too short to be found in responses: at least 8 "
                                    "bytes are needed; use a longer secret");
    EXPECT_EQ(verdict("8-bytes!"), "admitted");
    EXPECT_EQ(verdict(std::string(8192, 'x') + "\n"), "admitted");
    EXPECT_EQ(verdict(std::string(8193, 'x')),
              "credential 'issues': its value has 8193 bytes; at most 8192 are possible; is this the right file? a key "
              "or a token is shorter");
}

TEST(Vault, AnErrorNeverHoldsTheValue)
{
    for (const auto value : {"sesame"sv, "sesame-open now"sv, "sesame\x01open-now"sv})
        EXPECT_EQ(verdict(value).find("sesame"), std::string::npos);
}

TEST(Vault, ALaterValueReplacesTheEarlierOne)
{
    Vault vault;
    ASSERT_TRUE(vault.put("issues", Secret::copy_of("first-value")));
    ASSERT_TRUE(vault.put("issues", Secret::copy_of("second-value")));
    ASSERT_NE(vault.find("issues"), nullptr);
    EXPECT_EQ(vault.find("issues")->reveal(), "second-value");
    EXPECT_EQ(vault.find("npm"), nullptr);
}

} // namespace
} // namespace aduana::broker
