// SPDX-License-Identifier: Apache-2.0
// Where a head ends, and what is in it. Which heads are refused stands in tests/vectors (see body_test).
#include "proxy/core/head_parser.hpp"

#include "tests/support/partition.hpp"

#include <gtest/gtest.h>

namespace aduana::proxy {
namespace {

using State = HeadScanner::State;

/// The state after the last piece, or the first that is not need_more.
State scan_pieces(HeadScanner& scanner, const test::Pieces& pieces)
{
    std::string buffer;
    State state = State::need_more;
    for (const auto piece : pieces) {
        buffer.append(piece);
        state = scanner.scan(buffer);
        if (state != State::need_more)
            break;
    }
    return state;
}

State scan_all(std::string_view bytes)
{
    HeadScanner scanner;
    return scanner.scan(bytes);
}

TEST(HeadScanner, FindsTheEndHoweverTheBytesArrive)
{
    const std::string head = "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n";
    const std::string stream = head + "the body\n with \0 bytes";
    for (const auto& pieces : test::partitions(stream)) {
        HeadScanner scanner;
        EXPECT_EQ(scan_pieces(scanner, pieces), State::complete);
        EXPECT_EQ(scanner.head_size(), head.size());
    }
}

TEST(HeadScanner, BytesBehindTheHeadAreNotLookedAt)
{
    using namespace std::string_literals;
    EXPECT_EQ(scan_all("GET / HTTP/1.1\r\n\r\n\n\0"s), State::complete);
}

TEST(HeadScanner, RefusesBareLineFeedsAndNulsAtOnce)
{
    using namespace std::string_literals;
    EXPECT_EQ(scan_all("GET / HTTP/1.1\n"), State::invalid);
    EXPECT_EQ(scan_all("GET / HTTP/1.1\r\nHost: a\n"), State::invalid);
    EXPECT_EQ(scan_all("GET \0"s), State::invalid);
    EXPECT_EQ(scan_all("GET / HTTP/1.1\r\nX: \0\r\n"s), State::invalid);
    EXPECT_EQ(scan_all("\n"), State::invalid);
}

TEST(HeadScanner, DoesNotSkipEmptyLines)
{
    EXPECT_EQ(scan_all("\r"), State::need_more);
    EXPECT_EQ(scan_all("\r\n"), State::invalid);
    EXPECT_EQ(scan_all("\r\nGET / HTTP/1.1\r\n\r\n"), State::invalid);
}

TEST(HeadScanner, StaysAtNeedMoreUntilTheEmptyLine)
{
    EXPECT_EQ(scan_all(""), State::need_more);
    EXPECT_EQ(scan_all("GET / HTTP/1.1\r\nHost: a.test\r\n\r"), State::need_more);
}

TEST(HeadScanner, AHeadOfTheLimitPassesAndOneMoreByteDoesNot)
{
    const std::string start = "GET / HTTP/1.1\r\nX: ";
    const auto padded = [&start](std::size_t size) {
        return start + std::string(size - start.size() - 4, 'a') + "\r\n\r\n";
    };
    EXPECT_EQ(scan_all(padded(max_head)), State::complete);
    EXPECT_EQ(scan_all(padded(max_head + 1)), State::too_large);
    EXPECT_EQ(scan_all(std::string(max_head, 'a')), State::too_large);
    EXPECT_EQ(scan_all(std::string(max_head - 1, 'a')), State::need_more);
}

TEST(HeadScanner, StartsAnewAfterReset)
{
    HeadScanner scanner;
    ASSERT_EQ(scanner.scan("GET / HTTP/1.1\r\n\r\n"), State::complete);
    scanner.reset();
    EXPECT_EQ(scanner.scan("A"), State::need_more);
    EXPECT_EQ(scanner.head_size(), 0U);
}

TEST(RequestHeads, AreViewsOfTheBytesInTheirOrder)
{
    const std::string bytes = "PATCH /a?b=%20c HTTP/1.1\r\nhOST: a.test\r\nX:\t 1 2 \t\r\nY:\r\nx: 3\r\n\r\n";
    const auto head = parse_request_head(bytes);
    ASSERT_TRUE(head);
    EXPECT_EQ(head->method, "PATCH");
    EXPECT_EQ(head->target, "/a?b=%20c");
    EXPECT_EQ(head->minor_version, 1U);
    std::string fields;
    for (const auto& field : head->fields) {
        fields.append(field.name).append("=").append(field.value).append(";");
        EXPECT_GE(field.name.data(), bytes.data());
        EXPECT_LT(field.name.data(), bytes.data() + bytes.size());
    }
    EXPECT_EQ(fields, "hOST=a.test;X=1 2;Y=;x=3;");
}

TEST(RequestHeads, TellHttp10)
{
    const auto head = parse_request_head("GET / HTTP/1.0\r\n\r\n");
    ASSERT_TRUE(head);
    EXPECT_EQ(head->minor_version, 0U);
}

TEST(RequestHeads, AreRefusedForTheClientWithoutItsBytes)
{
    const auto head = parse_request_head("GET / HTTP/1.1\r\nHost: a.test\r\nContent-Length: sEcReT\r\n\r\n");
    ASSERT_FALSE(head);
    EXPECT_EQ(head.error().reason, policy::Reason::framing_invalid);
    EXPECT_EQ(head.error().party, Party::client);
    EXPECT_EQ(head.error().detail.find("sEcReT"), std::string::npos) << head.error().detail;
    EXPECT_NE(head.error().detail.find("Content-Length"), std::string::npos) << head.error().detail;
}

TEST(RequestHeads, MustBeExactlyOneHead)
{
    EXPECT_FALSE(parse_request_head(""));
    EXPECT_FALSE(parse_request_head("GET / HTTP/1.0\r\n"));
    EXPECT_FALSE(parse_request_head("GET / HTTP/1.0\r\n\r\nx"));
    EXPECT_FALSE(parse_request_head("GET / HTTP/1.0\r\n\r\n\r\n"));
    EXPECT_FALSE(parse_request_head("GET / HTTP/1.0\r\n\r\nGET / HTTP/1.0\r\n\r\n"));
}

std::string with_fields(std::size_t count)
{
    std::string head = "GET / HTTP/1.0\r\n";
    for (std::size_t i = 0; i < count; ++i)
        head += "X: 1\r\n";
    return head + "\r\n";
}

TEST(RequestHeads, HaveABoundedNumberOfFields)
{
    EXPECT_TRUE(parse_request_head(with_fields(max_fields)));
    const auto head = parse_request_head(with_fields(max_fields + 1));
    ASSERT_FALSE(head);
    EXPECT_EQ(head.error().reason, policy::Reason::head_too_large);
}

TEST(RequestHeads, HaveABoundedSize)
{
    const auto head = parse_request_head("GET / HTTP/1.0\r\nX: " + std::string(max_head, 'a') + "\r\n\r\n");
    ASSERT_FALSE(head);
    EXPECT_EQ(head.error().reason, policy::Reason::head_too_large);
}

TEST(RequestHeads, EveryByteOfAValueIsJudged)
{
    for (int byte = 0; byte < 256; ++byte) {
        SCOPED_TRACE(byte);
        const std::string value{'a', static_cast<char>(byte), 'b'};
        const bool allowed = byte == '\t' || (byte >= 0x20 && byte != 0x7f);
        EXPECT_EQ(parse_request_head("GET / HTTP/1.0\r\nX: " + value + "\r\n\r\n").has_value(), allowed);
    }
}

TEST(RequestHeads, EveryByteOfANameIsJudged)
{
    const std::string_view tokens = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    for (int byte = 0; byte < 256; ++byte) {
        SCOPED_TRACE(byte);
        const char c = static_cast<char>(byte);
        const std::string head = std::string("GET / HTTP/1.0\r\nX") + c + "Y: 1\r\n\r\n";
        const auto parsed = parse_request_head(head);
        if (c == ':') {
            ASSERT_TRUE(parsed);
            EXPECT_EQ(parsed->fields.find("X"), "Y: 1");
            continue;
        }
        EXPECT_EQ(parsed.has_value(), c != '\0' && tokens.find(c) != std::string_view::npos);
    }
}

TEST(RequestHeads, EveryByteOfATargetIsJudged)
{
    for (int byte = 0; byte < 256; ++byte) {
        SCOPED_TRACE(byte);
        const std::string target{'/', static_cast<char>(byte), 'b'};
        const bool allowed = byte > 0x20 && byte < 0x7f;
        EXPECT_EQ(parse_request_head("GET " + target + " HTTP/1.0\r\n\r\n").has_value(), allowed);
    }
}

TEST(ResponseHeads, HaveStatusAndReason)
{
    const auto head = parse_response_head("HTTP/1.0 404 Not  Here \r\nServer: x\r\n\r\n");
    ASSERT_TRUE(head);
    EXPECT_EQ(head->status, 404);
    EXPECT_EQ(head->reason_phrase, "Not  Here");
    EXPECT_EQ(head->minor_version, 0U);
    EXPECT_EQ(head->fields.find("server"), "x");
}

TEST(ResponseHeads, MayHaveNoReason)
{
    for (const auto* bytes : {"HTTP/1.1 200\r\n\r\n", "HTTP/1.1 200 \r\n\r\n"}) {
        const auto head = parse_response_head(bytes);
        ASSERT_TRUE(head) << bytes;
        EXPECT_EQ(head->reason_phrase, "");
    }
}

TEST(ResponseHeads, AreRefusedForTheUpstream)
{
    const auto switching = parse_response_head("HTTP/1.1 101 Switching Protocols\r\n\r\n");
    ASSERT_FALSE(switching);
    EXPECT_EQ(switching.error().reason, policy::Reason::framing_invalid);
    EXPECT_EQ(switching.error().party, Party::upstream);

    std::string many = "HTTP/1.1 200 OK\r\n";
    for (std::size_t i = 0; i <= max_fields; ++i)
        many += "X: 1\r\n";
    const auto fields = parse_response_head(many + "\r\n");
    ASSERT_FALSE(fields);
    EXPECT_EQ(fields.error().reason, policy::Reason::head_too_large);
    EXPECT_EQ(fields.error().party, Party::upstream);

    const auto size = parse_response_head("HTTP/1.1 200 OK\r\nX: " + std::string(max_head, 'a') + "\r\n\r\n");
    ASSERT_FALSE(size);
    EXPECT_EQ(size.error().reason, policy::Reason::head_too_large);
}

} // namespace
} // namespace aduana::proxy
