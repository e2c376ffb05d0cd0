// SPDX-License-Identifier: Apache-2.0
// Frames of WebSocket (RFC 6455 section 5): read strictly and piece by piece, written whole or by their heads.
//
//   head ─┬─ text, binary, continuation ─▶ data ─▶ head          anything else ─▶ bad: a close code and a sentence
//         └─ ping, pong, close ─▶ control ─┬─ ping, pong ─▶ head
//                                          └─ close ─▶ ended: what follows is not looked at
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace aduana::proxy {

/// RFC 6455 section 5.2; other values are reserved, and refused.
enum class Opcode : std::uint8_t { continuation = 0x0, text = 0x1, binary = 0x2, close = 0x8, ping = 0x9, pong = 0xa };

/// RFC 6455 section 7.4.1: those that the proxy itself sends.
enum class CloseCode : std::uint16_t {
    going_away = 1001,
    protocol_error = 1002,
    not_utf8 = 1007,
    policy_violation = 1008,
    too_big = 1009,
};

/// Why a peer is not listened to any longer. `detail` is a fixed text.
struct Violation {
    CloseCode code = CloseCode::protocol_error;
    std::string_view detail;
};

struct FrameHead {
    Opcode opcode = Opcode::continuation;
    bool final = true;      ///< the last frame of its message
    std::uint64_t size = 0; ///< of its payload, below 2^63

    [[nodiscard]] bool control() const noexcept { return static_cast<unsigned>(opcode) >= 0x8; }
};

/// What the bytes of a client are exclusive-ored with (RFC 6455 section 5.3). It must be unpredictable for each frame:
/// whoever chooses the payload could otherwise choose the bytes on the wire, and speak HTTP to a proxy on the way.
using MaskKey = std::array<char, 4>;

inline constexpr std::size_t max_control_payload = 125;

/// Whose frames are read: a client's are masked, a server's are not, and neither may be otherwise.
enum class WebsocketPeer : std::uint8_t { client, server };

class FrameReader {
public:
    explicit FrameReader(WebsocketPeer sender) : sender_(sender) {}

    struct Step {
        enum class Kind : std::uint8_t {
            more,    ///< everything was consumed, and nothing is complete
            head,    ///< a frame of data begins: `frame()`; without payload it has ended, too
            data,    ///< a piece of its payload; it has ended when `rest()` is zero
            control, ///< a whole control frame
            bad,     ///< `violation()`
        };
        Kind kind = Kind::more;
        std::size_t consumed = 0;   ///< of `input`
        std::string_view payload{}; ///< without its mask; a view of `input` or of the reader, until the next call
    };
    /// Consumes a prefix of `input`, and takes the mask off it in place. Call again with the rest until it is empty.
    [[nodiscard]] Step next(std::span<char> input);

    [[nodiscard]] const FrameHead& frame() const noexcept { return frame_; }
    /// Bytes of the frame's payload that were not read yet.
    [[nodiscard]] std::uint64_t rest() const noexcept { return rest_; }
    /// After a close frame: every later byte is consumed and dropped (RFC 6455 section 1.4).
    [[nodiscard]] bool ended() const noexcept { return phase_ == Phase::ended; }
    [[nodiscard]] const Violation& violation() const noexcept { return violation_; }

private:
    enum class Phase : std::uint8_t { head, data, control, ended, bad };

    Step read_head(std::span<char> input);
    Step head_ended(std::size_t consumed);
    Step read_data(std::span<char> input);
    Step read_control(std::span<char> input);
    Step control_ended(std::size_t consumed);
    Step fail(std::size_t consumed, CloseCode code, std::string_view detail);
    /// Of the first two bytes: a fixed sentence, or empty.
    [[nodiscard]] std::string_view fault_of_start() const;
    [[nodiscard]] std::size_t head_size() const;
    /// False: there is a shorter form of the same number, or it has 64 bits.
    [[nodiscard]] bool read_size();
    void unmask(std::span<char> bytes);
    [[nodiscard]] unsigned head_byte(std::size_t at) const { return static_cast<unsigned char>(head_[at]); }

    WebsocketPeer sender_;
    Phase phase_ = Phase::head;
    bool in_message_ = false; ///< a message has begun and its final frame has not
    std::array<char, 14> head_{};
    std::size_t head_bytes_ = 0;
    FrameHead frame_;
    std::uint64_t rest_ = 0;
    MaskKey mask_{};
    std::size_t mask_at_ = 0;
    std::array<char, max_control_payload> control_{};
    Violation violation_;
};

/// Appends the head of a frame whose payload follows, with the shortest length; masked if there is a mask.
void append_frame_head(std::string& out, const FrameHead& head, const MaskKey* mask);
/// Exclusive-ors `bytes`, which begin `offset` bytes after the beginning of the payload.
void apply_mask(std::span<char> bytes, MaskKey mask, std::uint64_t offset);
/// Appends a control frame; more than 125 bytes of `payload` are cut off.
void append_control(std::string& out, Opcode opcode, std::string_view payload, const MaskKey* mask);
/// Code and reason, as the payload of a close frame: the reason is cut between two characters.
[[nodiscard]] std::string close_payload(std::uint16_t code, std::string_view reason);

} // namespace aduana::proxy
