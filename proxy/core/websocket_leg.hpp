// SPDX-License-Identifier: Apache-2.0
// One direction of a WebSocket: the same frames out as in, masked anew to a server, scrubbed on the way to a client.
#pragma once

#include "proxy/core/scrub.hpp"
#include "proxy/core/websocket_frames.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

namespace aduana::proxy {

/// Each call gives a key that nobody can foretell.
using MaskSource = std::function<MaskKey()>;

/// Kinds, order, fragments and control frames stay as they were sent. Only where answers are scrubbed, a frame of more
/// than `max_whole_frame` goes on in several fragments (RFC 6455 section 5.4), and bytes that could begin a secret wait
/// for the next fragment of their message: the end of a message lets go of them. Text is not checked for UTF-8: that is
/// its reader's. Memory: one whole frame where answers are scrubbed or texts are edited, and nothing of a frame
/// otherwise.
class WebsocketLeg {
public:
    static constexpr std::size_t max_whole_frame = 64 * 1024;

    /// `limit`: bytes of whole frames that may pass.
    static WebsocketLeg to_server(MaskSource masks, std::uint64_t limit);
    static WebsocketLeg to_client(std::uint64_t limit);
    /// The set must outlive its use: see `scrub_with`.
    static WebsocketLeg to_client(const ScrubSet& set, std::uint64_t limit);

    /// To the server: a text that is sent in one frame of at most `max_whole_frame` and holds `placeholder` exactly
    /// once goes on with `value` in its place. Both are borrowed; an empty placeholder is nowhere.
    void edit_texts(std::string_view placeholder, std::string_view value)
    {
        placeholder_ = placeholder;
        value_ = value;
    }

    /// From here on another set is searched for.
    void scrub_with(const ScrubSet& set);

    /// Takes the next bytes of the sender, takes their mask off in place, and appends to `out` what goes on. A frame
    /// that goes over the limit is refused at its head: too_big if it could never pass, else policy_violation. After a
    /// violation `out` has all that came before it, and nothing more is taken.
    [[nodiscard]] std::optional<Violation> pass(std::span<char> input, std::string& out);

    /// A close frame of our own in this direction; only `between_frames`, and nothing may follow it.
    void append_close(std::string& out, CloseCode code, std::string_view reason);
    /// What was appended so far ends with a whole frame.
    [[nodiscard]] bool between_frames() const noexcept { return open_bytes_ == 0; }
    /// The sender's close frame has gone on.
    [[nodiscard]] bool closed() const noexcept { return reader_.ended(); }

    /// Of the sender: bytes of frames with their heads, since an empty message is not free; and messages begun.
    [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
    [[nodiscard]] std::uint64_t messages() const noexcept { return messages_; }
    /// Occurrences replaced.
    [[nodiscard]] std::uint64_t scrubbed() const noexcept;

private:
    WebsocketLeg(WebsocketPeer sender, std::uint64_t limit) : reader_(sender), limit_(limit) {}

    [[nodiscard]] std::optional<Violation> begin(std::string& out);
    void pass_data(std::string_view payload, std::string& out);
    /// The frame that is read is held until it can be edited as a whole.
    [[nodiscard]] bool edits() const noexcept;
    void pass_edited(std::string_view payload, std::string& out);
    void append_masked(std::string_view payload, std::string& out);
    /// `payload` of the frame that is read, and all of it where the frame is whole.
    void pass_scrubbed(std::string_view payload, std::string& out);
    void pass_control(std::string_view payload, std::string& out);
    [[nodiscard]] std::string scrubbed_control(std::string_view payload);
    [[nodiscard]] bool fits() const noexcept { return reader_.frame().size <= max_whole_frame; }
    /// The key of the frame that begins now; null towards a client.
    const MaskKey* next_mask();

    FrameReader reader_;
    std::uint64_t limit_;
    MaskSource masks_;
    MaskKey mask_{};
    std::string_view placeholder_; ///< empty: texts are not edited
    std::string_view value_;
    std::uint64_t open_bytes_ = 0; ///< that the frame which was appended last still lacks
    std::optional<Scrubber> scrubber_;
    const ScrubSet* set_ = nullptr;
    std::string whole_; ///< a frame that will be scrubbed or edited at once
    Opcode kind_ = Opcode::text;
    bool continues_ = false; ///< a fragment of the message has gone on
    std::uint64_t bytes_ = 0;
    std::uint64_t messages_ = 0;
    std::uint64_t scrubbed_controls_ = 0;
};

} // namespace aduana::proxy
