// SPDX-License-Identifier: Apache-2.0
// However frames are cut, they read the same; what was accepted is within RFC 6455 section 5; what goes on without a
// secret is what came, and with one it is still a sequence of frames, without the secret. The first byte chooses the
// direction and whether answers are scrubbed, the second the length of the pieces.
#include "proxy/core/websocket_leg.hpp"

#include <cstdlib>
#include <limits>
#include <vector>

namespace {

using namespace aduana;
using namespace aduana::proxy;

constexpr auto no_limit = std::numeric_limits<std::uint64_t>::max();
constexpr std::string_view secret = "secretvalue";

void require(bool holds)
{
    if (!holds)
        std::abort();
}

struct Message {
    Opcode kind = Opcode::text;
    std::string payload{};
    bool final = true; ///< its last frame was begun
    bool whole = true; ///< and is complete
    friend bool operator==(const Message&, const Message&) = default;
};

struct Read {
    std::vector<Message> data;
    std::vector<Message> controls;
    std::uint64_t frames = 0;
    bool bad = false;
    bool ended = false;
    friend bool operator==(const Read&, const Read&) = default;
};

void begin(Read& read, const FrameHead& frame)
{
    const bool in_message = !read.data.empty() && !read.data.back().final;
    require(!frame.control() && frame.size >> 63 == 0);
    require((frame.opcode == Opcode::continuation) == in_message);
    require(in_message || frame.opcode == Opcode::text || frame.opcode == Opcode::binary);
    ++read.frames;
    if (!in_message)
        read.data.push_back({frame.opcode});
    read.data.back().final = frame.final;
}

void add(Read& read, const FrameReader& reader, const FrameReader::Step& step)
{
    const auto& frame = reader.frame();
    if (step.kind == FrameReader::Step::Kind::control) {
        require(frame.control() && frame.final && step.payload.size() == frame.size);
        require(frame.size <= max_control_payload && frame.opcode <= Opcode::pong);
        ++read.frames;
        read.controls.push_back({frame.opcode, std::string(step.payload)});
        return;
    }
    if (step.kind == FrameReader::Step::Kind::head)
        begin(read, frame);
    read.data.back().payload.append(step.payload);
    read.data.back().whole = frame.final && reader.rest() == 0;
}

Read read_in_pieces(WebsocketPeer sender, std::string_view bytes, std::size_t piece_size)
{
    FrameReader reader(sender);
    Read read;
    while (!bytes.empty() && !read.bad) {
        std::string piece(bytes.substr(0, piece_size));
        bytes.remove_prefix(piece.size());
        for (std::span<char> input(piece); !input.empty() && !read.bad;) {
            const auto step = reader.next(input);
            read.bad = step.kind == FrameReader::Step::Kind::bad;
            require(step.consumed <= input.size() && (step.consumed > 0 || read.bad));
            input = input.subspan(step.consumed);
            if (!read.bad && step.kind != FrameReader::Step::Kind::more)
                add(read, reader, step);
        }
    }
    read.ended = reader.ended();
    return read;
}

std::string pass_in_pieces(WebsocketLeg leg, std::string_view bytes, std::size_t piece_size, bool& refused)
{
    std::string out;
    std::uint64_t taken = 0;
    refused = false;
    while (!bytes.empty() && !refused) {
        std::string piece(bytes.substr(0, piece_size));
        bytes.remove_prefix(piece.size());
        taken += piece.size();
        refused = leg.pass(piece, out).has_value();
    }
    require(leg.bytes() <= taken);
    return out;
}

void check_plain(WebsocketPeer sender, std::string_view bytes, std::size_t piece_size, const Read& whole)
{
    const auto leg = [sender] {
        const MaskSource masks = [] { return MaskKey{'\x11', '\x22', '\x33', '\x44'}; };
        return sender == WebsocketPeer::client ? WebsocketLeg::to_server(masks, no_limit)
                                               : WebsocketLeg::to_client(no_limit);
    };
    bool refused = false;
    const auto out = pass_in_pieces(leg(), bytes, piece_size, refused);
    require(refused == whole.bad);
    const auto again = read_in_pieces(sender, out, out.size() + 1);
    require(again.data == whole.data && again.controls == whole.controls && again.frames == whole.frames);
    require(!again.bad && again.ended == whole.ended);
    if (sender == WebsocketPeer::server)
        require(bytes.starts_with(out));
}

/// `shown` goes on in place of `sent`.
void check_scrubbed_text(const ScrubSet& set, std::string_view sent, std::string_view shown, std::size_t most)
{
    require(shown.find(secret) == std::string_view::npos);
    std::string expected;
    set.scrub(sent, expected);
    require(expected.starts_with(shown) && (shown.size() == expected.size() || expected.size() > most));
}

void check_scrubbed(std::string_view bytes, std::size_t piece_size, const Read& whole)
{
    const auto value = Secret::copy_of(secret);
    const auto set = ScrubSet::of({&value});
    bool refused = false;
    const auto out = pass_in_pieces(WebsocketLeg::to_client(set, no_limit), bytes, piece_size, refused);
    const auto again = read_in_pieces(WebsocketPeer::server, out, out.size() + 1);
    require(refused == whole.bad && !again.bad && again.ended == whole.ended);
    require(again.data.size() <= whole.data.size() && again.controls.size() == whole.controls.size());
    for (std::size_t i = 0; i < again.data.size(); ++i) {
        require(again.data[i].kind == whole.data[i].kind && again.data[i].whole == whole.data[i].whole);
        const std::size_t most = whole.data[i].whole ? std::numeric_limits<std::size_t>::max() : 0;
        check_scrubbed_text(set, whole.data[i].payload, again.data[i].payload, most);
    }
    for (std::size_t i = 0; i < again.controls.size(); ++i) {
        const auto& sent = whole.controls[i];
        const std::size_t code = sent.kind == Opcode::close && sent.payload.size() >= 2 ? 2 : 0;
        require(again.controls[i].kind == sent.kind && again.controls[i].payload.size() <= max_control_payload);
        require(again.controls[i].payload.substr(0, code) == sent.payload.substr(0, code));
        check_scrubbed_text(set, std::string_view(sent.payload).substr(code),
                            std::string_view(again.controls[i].payload).substr(code), max_control_payload - code);
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size < 2)
        return 0;
    const auto sender = (data[0] & 1) == 0 ? WebsocketPeer::client : WebsocketPeer::server;
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
    const std::size_t piece_size = 1U + data[1];
    const auto whole = read_in_pieces(sender, bytes, bytes.size() + 1);
    require(read_in_pieces(sender, bytes, 1) == whole);
    require(read_in_pieces(sender, bytes, piece_size) == whole);
    if (sender == WebsocketPeer::server && (data[0] & 2) != 0)
        check_scrubbed(bytes, piece_size, whole);
    else
        check_plain(sender, bytes, piece_size, whole);
    return 0;
}
