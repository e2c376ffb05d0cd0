// SPDX-License-Identifier: Apache-2.0
// Framing: the corpus of tests/vectors through head and body, and the reader piece by piece.
#include "proxy/core/body.hpp"

#include "proxy/core/head_parser.hpp"
#include "tests/support/partition.hpp"
#include "tests/support/vectors.hpp"

namespace aduana::proxy {
namespace {

/// A stream of pieces as the proxy would read it: buffered until the head is whole, then through the body reader.
class Message {
public:
    /// `body_of_head` makes the body's length from the head's bytes, or none if the head is refused.
    template <class BodyOfHead>
    void read(const test::Pieces& pieces, BodyOfHead body_of_head)
    {
        for (const auto piece : pieces) {
            if (reader_)
                feed(piece);
            else if (!refused_)
                feed_head(piece, body_of_head);
        }
        accepted_ = reader_ && !refused_ && (reader_->ended() || reader_->end_of_stream());
    }

    /// "accept PAYLOAD" or "refuse".
    [[nodiscard]] std::string verdict() const
    {
        if (!accepted_)
            return "refuse";
        return payload_.empty() ? "accept" : "accept " + payload_;
    }

private:
    template <class BodyOfHead>
    void feed_head(std::string_view piece, BodyOfHead body_of_head)
    {
        buffer_.append(piece);
        const auto state = scanner_.scan(buffer_);
        if (state == HeadScanner::State::need_more)
            return;
        const std::string_view bytes(buffer_);
        const auto length = state == HeadScanner::State::complete ? body_of_head(bytes.substr(0, scanner_.head_size()))
                                                                  : std::optional<BodyLength>();
        refused_ = !length;
        if (refused_)
            return;
        reader_.emplace(*length);
        feed(bytes.substr(scanner_.head_size()));
    }

    void feed(std::string_view input)
    {
        while (!input.empty() && !reader_->ended() && !refused_) {
            const auto step = reader_->next(input);
            EXPECT_LE(step.consumed, input.size());
            EXPECT_LE(step.payload.size(), step.consumed);
            payload_.append(step.payload);
            refused_ = step.invalid;
            if (step.consumed == 0)
                return;
            input.remove_prefix(step.consumed);
        }
    }

    std::string buffer_;
    HeadScanner scanner_;
    std::optional<BodyReader> reader_;
    std::string payload_;
    bool refused_ = false;
    bool accepted_ = false;
};

std::optional<BodyLength> request_body(std::string_view head)
{
    const auto parsed = parse_request_head(head);
    return parsed ? std::optional(body_of(*parsed)) : std::nullopt;
}

TEST(Framing, RequestsAreJudgedAsTheCorpusSays)
{
    const auto rows = test::read_vectors("request_framing.txt", 3);
    ASSERT_GT(rows.size(), 200U);
    for (const auto& row : rows) {
        SCOPED_TRACE(row[1]);
        for (const auto& pieces : test::partitions(row[2])) {
            Message message;
            message.read(pieces, request_body);
            EXPECT_EQ(message.verdict(), row[0]);
        }
    }
}

TEST(Framing, ResponsesAreJudgedAsTheCorpusSays)
{
    const auto rows = test::read_vectors("response_framing.txt", 4);
    ASSERT_GT(rows.size(), 100U);
    for (const auto& row : rows) {
        SCOPED_TRACE(row[2]);
        for (const auto& pieces : test::partitions(row[3])) {
            Message message;
            message.read(pieces, [&row](std::string_view head) {
                const auto parsed = parse_response_head(head);
                return parsed ? std::optional(body_of(*parsed, row[1])) : std::nullopt;
            });
            EXPECT_EQ(message.verdict(), row[0]);
        }
    }
}

TEST(BodyReader, ACountedBodyLeavesWhatFollows)
{
    BodyReader reader({BodyLength::Kind::counted, 5});
    const auto step = reader.next("helloGET /");
    EXPECT_EQ(step.consumed, 5U);
    EXPECT_EQ(step.payload, "hello");
    EXPECT_TRUE(step.ended);
    EXPECT_TRUE(reader.ended());
    EXPECT_EQ(reader.next("GET /").consumed, 0U);
}

TEST(BodyReader, NoBodyHasEndedBeforeItBegins)
{
    EXPECT_TRUE(BodyReader({BodyLength::Kind::none, 0}).ended());
    EXPECT_TRUE(BodyReader({BodyLength::Kind::counted, 0}).ended());
    EXPECT_FALSE(BodyReader({BodyLength::Kind::chunked, 0}).ended());
    EXPECT_FALSE(BodyReader({BodyLength::Kind::until_close, 0}).ended());
}

TEST(BodyReader, OnlyABodyUntilCloseEndsWithTheConnection)
{
    EXPECT_TRUE(BodyReader({BodyLength::Kind::until_close, 0}).end_of_stream());
    EXPECT_TRUE(BodyReader({BodyLength::Kind::none, 0}).end_of_stream());
    EXPECT_FALSE(BodyReader({BodyLength::Kind::counted, 1}).end_of_stream());
    EXPECT_FALSE(BodyReader({BodyLength::Kind::chunked, 0}).end_of_stream());
}

TEST(BodyReader, PayloadIsAViewOfTheInput)
{
    const std::string input = "5\r\nhello\r\n";
    BodyReader reader({BodyLength::Kind::chunked, 0});
    const auto step = reader.next(input);
    EXPECT_EQ(step.payload, "hello");
    EXPECT_EQ(step.payload.data(), input.data() + 3);
    EXPECT_EQ(step.consumed, 8U);
    EXPECT_FALSE(step.ended);
    EXPECT_EQ(reader.next("\r\n0\r\n\r\nrest").consumed, 7U);
    EXPECT_TRUE(reader.ended());
}

TEST(BodyReader, StaysInvalidOnceInvalid)
{
    BodyReader reader({BodyLength::Kind::chunked, 0});
    EXPECT_TRUE(reader.next("x").invalid);
    EXPECT_TRUE(reader.next("5\r\nhello\r\n0\r\n\r\n").invalid);
    EXPECT_FALSE(reader.ended());
    EXPECT_FALSE(reader.end_of_stream());
}

TEST(BodyReader, ASizeOfSixteenDigitsDoesNotOverflow)
{
    BodyReader reader({BodyLength::Kind::chunked, 0});
    const auto step = reader.next("ffffffffffffffff\r\nhello");
    EXPECT_FALSE(step.invalid);
    EXPECT_EQ(step.payload, "hello");
}

TEST(BodyReader, ExtensionsOfAllChunksShareOneBudget)
{
    const std::string chunk = "1;" + std::string(1023, 'a') + "\r\nx\r\n";
    BodyReader reader({BodyLength::Kind::chunked, 0});
    std::string body;
    for (int i = 0; i < 5; ++i)
        body += chunk;
    std::string payload;
    bool invalid = false;
    for (std::string_view rest = body; !rest.empty() && !invalid;) {
        const auto step = reader.next(rest);
        payload.append(step.payload);
        invalid = step.invalid;
        rest.remove_prefix(step.consumed);
    }
    EXPECT_TRUE(invalid);
    EXPECT_EQ(payload, "xxxx") << "4 KiB hold the line ends and extensions of four such chunks";
}

TEST(ChunkHeads, AreReadBackAsTheSizeThatWasWritten)
{
    for (const std::size_t size : {std::size_t{1}, std::size_t{15}, std::size_t{16}, std::size_t{65535}, SIZE_MAX}) {
        std::string head;
        append_chunk_head(head, size);
        head.push_back('x');
        BodyReader reader({BodyLength::Kind::chunked, 0});
        const auto step = reader.next(head);
        EXPECT_FALSE(step.invalid) << head;
        EXPECT_EQ(step.payload, "x") << head;
    }
    std::string head;
    append_chunk_head(head, 0xBEEF);
    EXPECT_EQ(head, "beef\r\n");
}

TEST(ChunkHeads, TheLastChunkEndsABody)
{
    BodyReader reader({BodyLength::Kind::chunked, 0});
    EXPECT_TRUE(reader.next("0\r\n\r\n").ended);
}

} // namespace
} // namespace aduana::proxy
