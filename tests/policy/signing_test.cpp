// SPDX-License-Identifier: Apache-2.0
// Messages of keyed hashes, cut at their braces.
#include "policy/signing.hpp"

#include <gtest/gtest.h>

namespace aduana::policy {
namespace {

TEST(SigningMessage, IsTextAndPartsInTheirOrder)
{
    const auto pieces = parse_message("v1:{timestamp}{method}\n{path}.");
    ASSERT_TRUE(pieces);
    EXPECT_EQ(*pieces, (std::vector<MessagePiece>{"v1:", MessagePart::timestamp, MessagePart::method, "\n",
                                                  MessagePart::path, "."}));
    EXPECT_EQ(parse_message("plain"), std::vector<MessagePiece>{"plain"});
    EXPECT_EQ(parse_message(""), std::vector<MessagePiece>{});
}

TEST(SigningMessage, EveryPartHasItsName)
{
    for (std::size_t i = 0; i < message_parts.size(); ++i) {
        const auto pieces = parse_message("{" + std::string(message_parts[i]) + "}");
        ASSERT_TRUE(pieces) << message_parts[i];
        EXPECT_EQ(*pieces, std::vector<MessagePiece>{static_cast<MessagePart>(i)});
    }
}

TEST(SigningMessage, BracesThatNameNothingAreRefused)
{
    for (const auto* text : {"{}", "{body}", "{path", "path}", "{{path}}", "{Path}", "a{path}}", "{ path }"})
        EXPECT_FALSE(parse_message(text)) << text;
}

} // namespace
} // namespace aduana::policy
