// SPDX-License-Identifier: Apache-2.0
// Bodies in AWS's chunked coding: the published uploads come out as S3 wants them, and anything else is refused.
#include "proxy/core/aws_chunked.hpp"

#include "tests/support/partition.hpp"

#include <gtest/gtest.h>

namespace aduana::proxy {
namespace {

const broker::AwsScope scope{.time = "20130524T000000Z", .region = "us-east-1", .service = "s3"};
const std::string other(64, '0');

AwsChunkedBody published(AwsChunkedBody::Trailer trailer, const std::string& seed)
{
    return {trailer, {scope, broker::signing_key(scope, "", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"), seed}};
}

AwsChunkedBody with_trailer()
{
    return published(AwsChunkedBody::Trailer::is_signed,
                     "106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e");
}

AwsChunkedBody without_trailer()
{
    return published(AwsChunkedBody::Trailer::none, "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9");
}

std::string chunk(const std::string& size, const std::string& signature, const std::string& data)
{
    return size + ";chunk-signature=" + signature + "\r\n" + data + "\r\n";
}

/// What came out, or "refused", or "unfinished".
std::string fed(AwsChunkedBody body, const test::Pieces& pieces)
{
    std::string out;
    for (const auto piece : pieces) {
        if (!body.feed(piece, out))
            return "refused";
    }
    return body.complete() ? out : "unfinished";
}

TEST(AwsChunkedBody, ThePublishedUploadIsSignedAlikeHoweverItIsCut)
{
    const std::string first(65536, 'a');
    const std::string second(1024, 'a');
    const auto end = [](const std::string& signature) { return "0;chunk-signature=" + signature + "\r\n\r\n"; };
    const auto sent = chunk("10000", other, first) + chunk("400", other, second) + end(other);
    const auto expected = chunk("10000", "ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648", first) +
                          chunk("400", "0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497", second) +
                          end("b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9");
    for (const auto& pieces : test::partitions(sent)) {
        const auto got = fed(without_trailer(), pieces);
        ASSERT_EQ(got.size(), expected.size());
        ASSERT_TRUE(got == expected);
    }
}

TEST(AwsChunkedBody, ThePublishedTrailerIsSignedAlikeHoweverItIsCut)
{
    const std::string first(65536, 'a');
    const std::string second(1024, 'a');
    const std::string checksum = "x-amz-checksum-crc32c:sOO8/Q==\r\n";
    const auto end = [&](const std::string& last, const std::string& trailer) {
        return "0;chunk-signature=" + last + "\r\n" + checksum + "x-amz-trailer-signature:" + trailer + "\r\n\r\n";
    };
    const auto sent = chunk("10000", other, first) + chunk("400", other, second) + end(other, other);
    const auto expected = chunk("10000", "b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2", first) +
                          chunk("400", "1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7", second) +
                          end("2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992",
                              "d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435");
    for (const auto& pieces : test::partitions(sent))
        ASSERT_TRUE(fed(with_trailer(), pieces) == expected);
}

TEST(AwsChunkedBody, SpellingsStayAsTheyWereSent)
{
    const auto upper = std::string(64, 'F');
    const auto got =
        fed(without_trailer(), {chunk("00A", upper, std::string(10, 'x')) + "0;chunk-signature=" + upper + "\r\n\r\n"});
    EXPECT_TRUE(got.starts_with("00A;chunk-signature=")) << got;
    EXPECT_EQ(got.find('F'), std::string::npos);
}

TEST(AwsChunkedBody, NothingOfAChunkGoesOnBeforeAllOfItIsThere)
{
    auto body = without_trailer();
    std::string out;
    EXPECT_TRUE(body.feed("5;chunk-signature=" + other + "\r\nabcde\r", out));
    EXPECT_EQ(out, "");
    EXPECT_TRUE(body.feed("\n", out));
    EXPECT_NE(out.find("\r\nabcde\r\n"), std::string::npos);
    EXPECT_FALSE(body.complete());
}

TEST(AwsChunkedBody, AnyOtherCodingIsRefusedHoweverItIsCut)
{
    const auto end = "0;chunk-signature=" + other + "\r\n";
    const auto good = chunk("3", other, "abc");
    const std::pair<std::string, std::string> cases[] = {
        {"no signature", "3\r\nabc\r\n0\r\n\r\n"},
        {"a short signature", "3;chunk-signature=00\r\nabc\r\n"},
        {"a signature that is none", "3;chunk-signature=" + std::string(64, 'g') + "\r\nabc\r\n"},
        {"another extension", "3;name=" + other + "\r\nabc\r\n"},
        {"one more extension", "3;chunk-signature=" + other + ";a=b\r\nabc\r\n"},
        {"no size", ";chunk-signature=" + other + "\r\nabc\r\n"},
        {"a size that is none", "0x3;chunk-signature=" + other + "\r\nabc\r\n"},
        {"a signed size", "+3;chunk-signature=" + other + "\r\nabc\r\n"},
        {"a size beyond the limit", "100001;chunk-signature=" + other + "\r\n"},
        {"a size beyond all numbers", "fffffffffffffffff;chunk-signature=" + other + "\r\n"},
        {"a line without an end", std::string(200, '0')},
        {"data that are longer than their size", "2;chunk-signature=" + other + "\r\nabc\r\n"},
        {"a bare line end after data", "3;chunk-signature=" + other + "\r\nabc\n\n"},
        {"bytes after the end", good + end + "\r\nX"},
        {"a trailer that was not announced", good + end + "x-amz-checksum-crc32c:sOO8/Q==\r\n\r\n"},
    };
    for (const auto& [sentence, sent] : cases) {
        SCOPED_TRACE(sentence);
        for (const auto& pieces : test::partitions(sent))
            EXPECT_EQ(fed(without_trailer(), pieces), "refused");
    }
}

TEST(AwsChunkedBody, ATrailerEndsWithItsSignatureAndNothingElse)
{
    const auto end = "0;chunk-signature=" + other + "\r\n";
    const auto signature = "x-amz-trailer-signature:" + other + "\r\n";
    const std::pair<std::string, std::string> cases[] = {
        {"no signature", end + "x-amz-checksum-crc32c:sOO8/Q==\r\n\r\n"},
        {"nothing at all", end + "\r\n"},
        {"a field behind the signature", end + signature + "x-amz-checksum-crc32c:sOO8/Q==\r\n\r\n"},
        {"two signatures", end + signature + signature + "\r\n"},
        {"a signature that is none", end + "x-amz-trailer-signature:00\r\n\r\n"},
        {"a line without a colon", end + "checksum\r\n" + signature + "\r\n"},
        {"a name that is none", end + "a b:c\r\n" + signature + "\r\n"},
        {"a line beyond the limit", end + "a:" + std::string(17000, 'x')},
    };
    for (const auto& [sentence, sent] : cases) {
        SCOPED_TRACE(sentence);
        EXPECT_EQ(fed(with_trailer(), {sent}), "refused");
        EXPECT_EQ(fed(with_trailer(), test::cut_every(sent, 1)), "refused");
    }
}

TEST(AwsChunkedBody, WhatEndsEarlyIsNotComplete)
{
    const auto whole = chunk("3", other, "abc") + "0;chunk-signature=" + other + "\r\n\r\n";
    for (std::size_t size = 0; size < whole.size(); ++size)
        EXPECT_EQ(fed(without_trailer(), {std::string_view(whole).substr(0, size)}), "unfinished") << size;
}

} // namespace
} // namespace aduana::proxy
