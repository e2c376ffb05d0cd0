// SPDX-License-Identifier: Apache-2.0
// The corpus of frames through the reader, however they are cut; and heads written and read back.
#include "proxy/core/websocket_frames.hpp"

#include "tests/support/partition.hpp"
#include "tests/support/vectors.hpp"

namespace aduana::proxy {
namespace {

using Kind = FrameReader::Step::Kind;

char letter_of(Opcode opcode)
{
    switch (opcode) {
    case Opcode::continuation:
        return 'c';
    case Opcode::text:
        return 't';
    case Opcode::binary:
        return 'b';
    case Opcode::close:
        return 'X';
    case Opcode::ping:
        return 'P';
    case Opcode::pong:
        return 'O';
    }
    return '?';
}

/// What the reader makes of its input, in the words of the corpus.
class Transcript {
public:
    explicit Transcript(WebsocketPeer sender) : reader_(sender) {}

    void feed(std::string piece)
    {
        for (std::span<char> input(piece); !input.empty() && !bad_;) {
            const auto step = reader_.next(input);
            ASSERT_LE(step.consumed, input.size());
            add(step);
            if (bad_)
                return;
            ASSERT_GT(step.consumed, 0U) << "the reader stands still";
            input = input.subspan(step.consumed);
        }
    }
    [[nodiscard]] std::string text() const { return reader_.rest() != 0 && !bad_ ? text_ + "~" : text_; }

private:
    void add(const FrameReader::Step& step)
    {
        switch (step.kind) {
        case Kind::more:
            return;
        case Kind::head:
            return begin();
        case Kind::data:
            text_.append(step.payload);
            return;
        case Kind::control:
            begin();
            text_.append(step.payload);
            return;
        case Kind::bad:
            bad_ = true;
            separate();
            text_ += "!" + std::to_string(static_cast<unsigned>(reader_.violation().code));
            EXPECT_FALSE(reader_.violation().detail.empty());
            return;
        }
    }
    void separate() { text_ += text_.empty() ? "" : ","; }
    void begin()
    {
        separate();
        text_ += letter_of(reader_.frame().opcode);
        text_ += reader_.frame().final ? ":" : "+:";
    }

    FrameReader reader_;
    std::string text_;
    bool bad_ = false;
};

TEST(WebsocketFrames, AreReadAsTheCorpusSays)
{
    const auto rows = test::read_vectors("websocket_frames.txt", 4);
    ASSERT_GT(rows.size(), 90U);
    for (const auto& row : rows) {
        SCOPED_TRACE(row[1]);
        const auto sender = row[2] == "client" ? WebsocketPeer::client : WebsocketPeer::server;
        for (const auto& pieces : test::partitions(row[3])) {
            Transcript transcript(sender);
            for (const auto piece : pieces)
                transcript.feed(std::string(piece));
            EXPECT_EQ(transcript.text(), row[0]);
        }
    }
}

TEST(WebsocketFrames, HeadsAreReadBackAsTheyWereWritten)
{
    const MaskKey mask{'a', 'b', 'c', 'd'};
    for (const std::uint64_t size : {0ULL, 1ULL, 125ULL, 126ULL, 65535ULL, 65536ULL, 0x7fffffffffffffffULL}) {
        for (const auto sender : {WebsocketPeer::client, WebsocketPeer::server}) {
            SCOPED_TRACE(size);
            std::string bytes;
            append_frame_head(bytes, {Opcode::binary, false, size}, sender == WebsocketPeer::client ? &mask : nullptr);
            FrameReader reader(sender);
            const auto step = reader.next(bytes);
            ASSERT_EQ(step.kind, Kind::head);
            EXPECT_EQ(step.consumed, bytes.size());
            EXPECT_EQ(reader.frame().size, size);
            EXPECT_EQ(reader.rest(), size);
            EXPECT_EQ(reader.frame().opcode, Opcode::binary);
            EXPECT_FALSE(reader.frame().final);
        }
    }
}

TEST(WebsocketFrames, AMaskedTextIsTheOneOfTheRfc)
{
    const MaskKey mask{'\x37', '\xfa', '\x21', '\x3d'};
    std::string bytes;
    append_control(bytes, Opcode::ping, "Hello", &mask);
    EXPECT_EQ(bytes, "\x89\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58");
}

TEST(WebsocketFrames, AMaskIsTheSameHoweverThePayloadIsCut)
{
    const MaskKey mask{'\x01', '\x22', '\x40', '\x7f'};
    std::string whole(1000, 'x');
    apply_mask(whole, mask, 0);
    for (std::size_t cut = 0; cut < 40; ++cut) {
        std::string halves(1000, 'x');
        apply_mask(std::span(halves).first(cut), mask, 0);
        apply_mask(std::span(halves).subspan(cut), mask, cut);
        EXPECT_EQ(halves, whole) << cut;
    }
    for (std::size_t i = 0; i < whole.size(); ++i)
        EXPECT_EQ(whole[i], static_cast<char>('x' ^ mask[i % 4]));
}

TEST(WebsocketFrames, AReasonForClosingIsCutBetweenTwoCharacters)
{
    EXPECT_EQ(close_payload(1000, "bye"), "\x03\xe8"
                                          "bye");
    EXPECT_EQ(close_payload(1000, std::string(200, 'a')).size(), max_control_payload);
    const auto cut = close_payload(1000, std::string(122, 'a') + "\xc3\xa9");
    EXPECT_EQ(cut, "\x03\xe8" + std::string(122, 'a'));
}

TEST(WebsocketFrames, StayBadOnceTheyAreBad)
{
    FrameReader reader(WebsocketPeer::server);
    std::string bad("\x83\x01x");
    EXPECT_EQ(reader.next(bad).kind, Kind::bad);
    std::string fine("\x81\x01x");
    EXPECT_EQ(reader.next(fine).kind, Kind::bad);
    EXPECT_EQ(reader.next(fine).consumed, 0U);
}

} // namespace
} // namespace aduana::proxy
