// SPDX-License-Identifier: Apache-2.0
// The message of a keyed hash, cut at its braces.
#include "policy/signing.hpp"

#include <algorithm>

namespace aduana::policy {

std::optional<std::vector<MessagePiece>> parse_message(std::string_view text)
{
    std::vector<MessagePiece> pieces;
    while (!text.empty()) {
        const auto open = text.find_first_of("{}");
        if (open != 0)
            pieces.emplace_back(std::string(text.substr(0, open)));
        if (open == text.npos)
            return pieces;
        const auto close = text.find('}', open);
        if (text[open] == '}' || close == text.npos)
            return std::nullopt;
        const auto name = text.substr(open + 1, close - open - 1);
        const auto* const part = std::ranges::find(message_parts, name);
        if (part == message_parts.end())
            return std::nullopt;
        pieces.emplace_back(static_cast<MessagePart>(part - message_parts.begin()));
        text.remove_prefix(close + 1);
    }
    return pieces;
}

bool HmacInjection::names(MessagePart part) const
{
    return std::ranges::find(message, MessagePiece(part)) != message.end();
}

} // namespace aduana::policy
