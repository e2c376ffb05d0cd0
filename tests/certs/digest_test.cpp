// SPDX-License-Identifier: Apache-2.0
// Digests, hexadecimal and base64 against published vectors, and the spellings that must be refused.
#include "certs/digest.hpp"

#include <gtest/gtest.h>

namespace aduana::certs {
namespace {

TEST(Digest, Sha256GivesTheVectorsOfFips180)
{
    EXPECT_EQ(to_hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(to_hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Digest, Sha1GivesTheVectorOfFips180)
{
    EXPECT_EQ(to_hex(sha1("abc")), "a9993e364706816aba3e25717850c26c9cd0d89d");
}

TEST(Digest, HexIsReadBackWhateverItsCase)
{
    const std::string bytes("\x00\xff\x7f\x80 a", 6);
    EXPECT_EQ(to_hex(bytes), "00ff7f802061");
    EXPECT_EQ(from_hex("00ff7f802061"), bytes);
    EXPECT_EQ(from_hex("00FF7F802061"), bytes);
}

TEST(Digest, HexThatIsOddOrHasOtherCharactersIsRefused)
{
    for (const char* text : {"0", "0g", "g0", "0x00", " 00", "00 "}) {
        SCOPED_TRACE(text);
        EXPECT_EQ(from_hex(text), std::nullopt);
    }
}

TEST(Digest, Base64urlHasNoPaddingAndNothingThatAUrlOrAHeaderWouldEscape)
{
    EXPECT_EQ(to_base64url(""), "");
    EXPECT_EQ(to_base64url("f"), "Zg");
    EXPECT_EQ(to_base64url("foo"), "Zm9v");
    EXPECT_EQ(to_base64url("\xfb\xef\xff"), "--__");
}

TEST(Digest, SecretsAreTheSameWhereEveryByteIs)
{
    EXPECT_TRUE(same_secret("", ""));
    EXPECT_TRUE(same_secret("token", "token"));
    for (const char* other : {"", "toke", "token ", "Token", "tokem"})
        EXPECT_FALSE(same_secret("token", other)) << other;
}

TEST(Digest, Base64GivesTheVectorsOfRfc4648)
{
    const std::pair<std::string, std::string> cases[] = {
        {"", ""},
        {"f", "Zg=="},
        {"fo", "Zm8="},
        {"foo", "Zm9v"},
        {"foob", "Zm9vYg=="},
        {"fooba", "Zm9vYmE="},
        {"foobar", "Zm9vYmFy"},
    };
    for (const auto& [bytes, text] : cases) {
        SCOPED_TRACE(text);
        EXPECT_EQ(to_base64(bytes), text);
        EXPECT_EQ(from_base64(text), bytes);
    }
}

TEST(Digest, Base64HasOneSpellingForEachValue)
{
    const std::pair<std::string, std::string> cases[] = {
        {"Zg", "padding is missing"},
        {"Zg=", "half of the padding is missing"},
        {"Zh==", "unused bits are not zero"},
        {"Zm9=", "unused bits are not zero"},
        {"Zm9v\n", "a newline follows"},
        {" m9v", "a blank stands for a character"},
        {"Zm9v====", "there is nothing but padding in the last group"},
        {"Zg==Zg==", "padding stands in the middle"},
        {"Z===", "one character cannot hold a byte"},
        {"====", "there is only padding"},
        {"Zm-_", "this is the alphabet of URLs"},
    };
    for (const auto& [text, why] : cases) {
        SCOPED_TRACE(why);
        EXPECT_EQ(from_base64(text), std::nullopt);
    }
}

TEST(Digest, EveryByteSurvivesHexAndBase64)
{
    std::string bytes;
    for (int i = 0; i < 256; ++i) {
        bytes += static_cast<char>(i);
        EXPECT_EQ(from_hex(to_hex(bytes)), bytes);
        EXPECT_EQ(from_base64(to_base64(bytes)), bytes);
    }
}

TEST(Digest, RandomBytesHaveTheSizeAskedForAndDiffer)
{
    EXPECT_EQ(random_bytes(0).size(), 0U);
    EXPECT_EQ(random_bytes(33).size(), 33U);
    EXPECT_NE(random_bytes(16), random_bytes(16));
}

} // namespace
} // namespace aduana::certs
