// SPDX-License-Identifier: Apache-2.0
// The encodings that secrets are written in.
#include "broker/mint/secret_writer.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace aduana::broker {
namespace {

TEST(SecretWriter, WritesEachEncoding)
{
    const std::string all = "a Z0-._~+/:%&=\x01\xe2\x82\xac";
    EXPECT_EQ(SecretWriter().put(all).view(), all);
    // The example of RFC 6749 appendix B.
    EXPECT_EQ(SecretWriter().put_form(" %&+\xc2\xa3\xe2\x82\xac").view(), "+%25%26%2B%C2%A3%E2%82%AC");
    EXPECT_EQ(SecretWriter().put_form(all).view(), "a+Z0-._%7E%2B%2F%3A%25%26%3D%01%E2%82%AC");
    EXPECT_EQ(SecretWriter().put_percent(all).view(), "a%20Z0-._~%2B%2F%3A%25%26%3D%01%E2%82%AC");
}

TEST(SecretWriter, WritesBase64AsInRfc4648)
{
    struct Case {
        std::string plain;
        std::string standard;
        std::string url;
    };
    const std::vector<Case> cases{{"", "", ""},
                                  {"f", "Zg==", "Zg"},
                                  {"fo", "Zm8=", "Zm8"},
                                  {"foo", "Zm9v", "Zm9v"},
                                  {"foob", "Zm9vYg==", "Zm9vYg"},
                                  {"\xfb\xff\xfe", "+//+", "-__-"}};
    for (const auto& test : cases) {
        EXPECT_EQ(SecretWriter().put_base64(test.plain).view(), test.standard);
        EXPECT_EQ(SecretWriter().put_base64url(test.plain).view(), test.url);
    }
}

TEST(SecretWriter, KeepsWhatWasWrittenWhileItGrows)
{
    SecretWriter writer;
    std::string expected;
    for (int i = 0; i < 2000; ++i) {
        const auto piece = std::to_string(i) + "/";
        writer.put(piece);
        expected += piece;
    }
    EXPECT_EQ(writer.view(), expected);
    EXPECT_EQ(writer.take().reveal(), expected);
    EXPECT_EQ(writer.view(), "");
    EXPECT_EQ(join({"a", "", "bc"}).reveal(), "abc");
}

TEST(WithoutLineEnd, DropsOneLineEndAndNoMore)
{
    EXPECT_EQ(without_line_end("a\n"), "a");
    EXPECT_EQ(without_line_end("a\r\n"), "a");
    EXPECT_EQ(without_line_end("a\n\n"), "a\n");
    EXPECT_EQ(without_line_end("\n"), "");
    EXPECT_EQ(without_line_end("a\r"), "a\r");
}

} // namespace
} // namespace aduana::broker
