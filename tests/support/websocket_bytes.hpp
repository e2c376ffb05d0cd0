// SPDX-License-Identifier: Apache-2.0
// Frames of WebSocket written and read by the shortest code that does it, so that the proxy's own is not its judge.
#pragma once

#include "proxy/core/websocket_frames.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aduana::test {

enum class Fin : bool { more, last };

inline std::string frame(proxy::Opcode opcode, std::string_view payload, Fin fin,
                         std::optional<proxy::MaskKey> mask = std::nullopt)
{
    const auto size = payload.size();
    std::string out(1, static_cast<char>((fin == Fin::last ? 0x80 : 0) | static_cast<int>(opcode)));
    const int masked = mask ? 0x80 : 0;
    const int bytes = size < 126 ? 0 : size < 65536 ? 2 : 8;
    out.push_back(static_cast<char>(masked | (bytes == 0 ? static_cast<int>(size) : bytes == 2 ? 126 : 127)));
    for (int i = bytes - 1; i >= 0; --i)
        out.push_back(static_cast<char>(size >> (8 * i)));
    if (!mask)
        return out.append(payload);
    out.append(mask->data(), 4);
    for (std::size_t i = 0; i < size; ++i)
        out.push_back(static_cast<char>(payload[i] ^ (*mask)[i % 4]));
    return out;
}
inline std::string frame(proxy::Opcode opcode, std::string_view payload,
                         std::optional<proxy::MaskKey> mask = std::nullopt)
{
    return frame(opcode, payload, Fin::last, mask);
}

/// "t:payload", "c+:part", "P:ping"... of the whole frames at the start of `bytes`, whatever is wrong with their order.
/// It ends at the first that is incomplete, masked otherwise than `sender` masks, or behind a close.
inline std::vector<std::string> read_frames(std::string_view bytes, proxy::WebsocketPeer sender)
{
    const auto byte = [&bytes](std::size_t at) { return static_cast<unsigned char>(bytes[at]); };
    std::vector<std::string> frames;
    while (bytes.size() >= 2) {
        const bool masked = (byte(1) & 0x80) != 0;
        std::uint64_t size = byte(1) & 0x7f;
        const std::size_t extra = size < 126 ? 0 : size == 126 ? 2 : 8;
        const std::size_t head = 2 + extra + (masked ? 4 : 0);
        if (bytes.size() < head || masked != (sender == proxy::WebsocketPeer::client))
            break;
        for (std::size_t i = 0; i < extra; ++i)
            size = (i == 0 ? 0 : size << 8) | byte(2 + i);
        if (bytes.size() - head < size)
            break;
        std::string text(1, "ctb?????XPO?????"[byte(0) & 0x0f]);
        text += (byte(0) & 0x80) != 0 ? ":" : "+:";
        for (std::size_t i = 0; i < size; ++i)
            text.push_back(static_cast<char>(bytes[head + i] ^ (masked ? bytes[head - 4 + i % 4] : 0)));
        if (text.find('?') == 0 || (byte(0) & 0x70) != 0)
            break;
        frames.push_back(text);
        bytes.remove_prefix(head + static_cast<std::size_t>(size));
        if (frames.back().front() == 'X')
            break;
    }
    return frames;
}

} // namespace aduana::test
