// SPDX-License-Identifier: Apache-2.0
// Every coding at every cut, what is none, and what would never end.
#include "proxy/core/content_decoder.hpp"

#include "tests/support/coded.hpp"
#include "tests/support/partition.hpp"

#include <gtest/gtest.h>

#include <array>

namespace aduana::proxy {
namespace {

using test::coded;
using test::real_codings;

struct Decoded {
    std::string text;
    std::string why; ///< empty: whole
};

Decoded decode(ContentCoding coding, const test::Pieces& pieces, std::size_t room = 1000)
{
    ContentDecoder decoder(coding);
    std::string buffer(room, '\0');
    Decoded out;
    for (auto piece : pieces) {
        for (bool again = true; again;) {
            const auto step = decoder.next(piece, buffer);
            if (step.failed)
                return {out.text, std::string(decoder.why())};
            out.text.append(buffer, 0, step.produced);
            piece.remove_prefix(step.consumed);
            EXPECT_TRUE(step.consumed != 0 || step.produced != 0 || piece.empty());
            again = !piece.empty() || step.produced == room;
        }
    }
    if (!decoder.complete())
        out.why = "incomplete";
    return out;
}

std::optional<ContentCoding> coding_of(std::initializer_list<std::string_view> values)
{
    Fields fields;
    for (const auto value : values)
        fields.add("content-Encoding", value);
    return content_coding(fields);
}

TEST(ContentCoding, IsReadFromAllItsFields)
{
    EXPECT_EQ(coding_of({}), ContentCoding::identity);
    EXPECT_EQ(coding_of({"", "identity"}), ContentCoding::identity);
    EXPECT_EQ(coding_of({"gzip"}), ContentCoding::gzip);
    EXPECT_EQ(coding_of({"X-GZip"}), ContentCoding::gzip);
    EXPECT_EQ(coding_of({"deflate"}), ContentCoding::deflate);
    EXPECT_EQ(coding_of({"br"}), ContentCoding::brotli);
    EXPECT_EQ(coding_of({"identity , ZSTD\t,"}), ContentCoding::zstd);
}

TEST(ContentCoding, IsNoneWhereItIsUnknownOrStacked)
{
    for (const std::string_view value :
         {"compress", "dcb", "dcz", "gzip, gzip", "gzip,br", "aes128gcm", "gzip;q=1", "\"gzip\""})
        EXPECT_FALSE(coding_of({value}).has_value()) << value;
    EXPECT_FALSE(coding_of({"gzip", "deflate"}).has_value());
}

TEST(ContentCoding, IsNoneWhereMessagesAreCodedOneByOne)
{
    for (const std::string_view name : {"grpc-encoding", "Connect-Content-Encoding"}) {
        for (const std::string_view value : {"gzip", "deflate", "snappy", ""}) {
            Fields fields;
            fields.add(name, value);
            EXPECT_FALSE(content_coding(fields).has_value()) << name << ": " << value;
        }
        Fields plain;
        plain.add(name, "Identity");
        EXPECT_EQ(content_coding(plain), ContentCoding::identity);
    }
}

TEST(ContentDecoder, GivesTheTextAtEveryCut)
{
    std::string text;
    for (int i = 0; i < 300; ++i)
        text += "line " + std::to_string(i * i) + "\n";
    for (const auto coding : real_codings) {
        const auto body = coded(text, coding);
        for (const auto& pieces : test::partitions(body)) {
            for (const std::size_t room : {1U, 7U, 100'000U}) {
                const auto decoded = decode(coding, pieces, room);
                ASSERT_EQ(decoded.why, "") << static_cast<int>(coding);
                ASSERT_EQ(decoded.text, text) << static_cast<int>(coding);
            }
        }
    }
}

TEST(ContentDecoder, TakesBareDeflateForDeflateToo)
{
    const std::string text = "bare bare bare bare deflate";
    const auto body = test::deflated(text, test::bare_bits);
    for (const auto& pieces : test::partitions(body))
        EXPECT_EQ(decode(ContentCoding::deflate, pieces).text, text);
}

TEST(ContentDecoder, ReadsMembersOfGzipAndFramesOfZstdOneBehindTheOther)
{
    for (const auto coding : {ContentCoding::gzip, ContentCoding::zstd}) {
        const auto body = coded("first ", coding) + coded("second", coding);
        for (const auto& pieces : test::partitions(body)) {
            const auto decoded = decode(coding, pieces);
            EXPECT_EQ(decoded.text, "first second");
            EXPECT_EQ(decoded.why, "");
        }
    }
}

TEST(ContentDecoder, AnEmptyBodyIsCompleteInEveryCoding)
{
    for (const auto coding : real_codings)
        EXPECT_EQ(decode(coding, {}).why, "");
}

TEST(ContentDecoder, FailsOnWhatIsNoSuchCoding)
{
    const std::string text = "a text that is long enough to be coded, coded, coded and coded again";
    for (const auto coding : real_codings) {
        EXPECT_NE(decode(coding, {text}).why, "") << static_cast<int>(coding);
        for (const auto other : real_codings) {
            if (other != coding)
                EXPECT_NE(decode(coding, {coded(text, other)}).why, "") << static_cast<int>(coding);
        }
        EXPECT_NE(decode(coding, {coded(text, coding) + "behind the end"}).why, "") << static_cast<int>(coding);
    }
}

TEST(ContentDecoder, KnowsABodyThatEndsTooEarly)
{
    const std::string text(5000, 'x');
    for (const auto coding : real_codings) {
        const auto body = coded(text, coding);
        for (std::size_t size = 1; size < body.size(); ++size)
            EXPECT_NE(decode(coding, {std::string_view(body).substr(0, size)}).why, "") << size;
    }
}

TEST(ContentDecoder, SeesAWrongChecksum)
{
    auto body = coded("checked", ContentCoding::gzip);
    body[body.size() - 6] ^= 1;
    EXPECT_NE(decode(ContentCoding::gzip, {body}).why, "");
}

TEST(ContentDecoder, StopsABodyThatGrowsBeyondMeasure)
{
    const std::string text(64 << 20, '\0');
    for (const auto coding : real_codings) {
        const auto decoded = decode(coding, {coded(text, coding)}, 16 * 1024);
        EXPECT_EQ(decoded.why, "the body grows to more than 200 times its size");
        EXPECT_LT(decoded.text.size(), text.size() / 2);
        EXPECT_EQ(decode(coding, {coded(text.substr(0, 1 << 20), coding)}).why, "") << "a mebibyte is always free";
    }
}

TEST(ContentDecoder, RefusesAWindowOfZstdThatIsLargerThanEightMebibytes)
{
    std::string text;
    for (std::uint64_t i = 0; text.size() < (20U << 20); ++i)
        text += std::to_string(i * 7919) + " ";
    EXPECT_EQ(decode(ContentCoding::zstd, {test::zstandard(text, 23)}, 16 * 1024).why, "");
    EXPECT_NE(decode(ContentCoding::zstd, {test::zstandard(text, 24)}, 16 * 1024).why, "");
}

} // namespace
} // namespace aduana::proxy
