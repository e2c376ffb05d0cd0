// SPDX-License-Identifier: Apache-2.0
// Frames: what is written is read again, and nothing else is.
#include "policy/base/wire.hpp"

#include <gtest/gtest.h>

namespace aduana::wire {
namespace {

using namespace std::string_literals;

/// A frame with one field of each kind.
std::string sample()
{
    Writer writer(7, 0x0102030405060708);
    writer.u8(0xff).u32(0xdeadbeef).u64(1).boolean(true).boolean(false).bytes("abc").bytes("").list({"x", "", "yz"});
    return std::string(writer.frame());
}

/// Reads the fields of `sample()` and says whether they were all there.
bool reads_as_sample(std::string_view frame)
{
    Reader reader(frame);
    const bool equal = reader.u8() == 0xff && reader.u32() == 0xdeadbeef && reader.u64() == 1 && reader.boolean() &&
                       !reader.boolean() && reader.bytes() == "abc" && reader.bytes().empty() &&
                       reader.list() == std::vector<std::string>{"x", "", "yz"};
    return reader.finish().has_value() && equal && reader.header().type == 7 &&
           reader.header().request == 0x0102030405060708;
}

TEST(Wire, HasTheseBytes)
{
    Writer writer(2, 3);
    writer.u8(4).u32(5).u64(6).boolean(true).bytes("hi").list({"a"});
    EXPECT_EQ(writer.frame(), "\x01\x02\x03\0\0\0\0\0\0\0" // version, type, request
                              "\x04"                       // u8
                              "\x05\0\0\0"                 // u32
                              "\x06\0\0\0\0\0\0\0"         // u64
                              "\x01"                       // boolean
                              "\x02\0\0\0hi"               // bytes
                              "\x01\0\0\0\x01\0\0\0a"s);   // list
}

TEST(Wire, ReadsWhatWasWritten)
{
    EXPECT_TRUE(reads_as_sample(sample()));
}

TEST(Wire, RefusesEveryShorterFrame)
{
    const std::string frame = sample();
    for (std::size_t size = 0; size < frame.size(); ++size) {
        SCOPED_TRACE(size);
        EXPECT_FALSE(reads_as_sample(std::string_view(frame).substr(0, size)));
    }
}

TEST(Wire, RefusesBytesLeftOver)
{
    EXPECT_FALSE(reads_as_sample(sample() + "!"));
    ASSERT_FALSE(Reader(Writer(1, 2).u8(3).frame()).finish());
    EXPECT_EQ(Reader(Writer(1, 2).u8(3).frame()).finish().error().message,
              "wire: 1 bytes are left over after the last field");
}

TEST(Wire, RefusesAnotherVersion)
{
    std::string frame(Writer(1, 2).frame());
    frame[0] = 2;
    EXPECT_TRUE(Reader(frame).failed());
    EXPECT_FALSE(Reader(frame).finish());
}

TEST(Wire, RefusesAFrameThatIsTooLong)
{
    std::string frame(Writer(1, 2).frame());
    frame.resize(max_frame + 1);
    EXPECT_TRUE(Reader(frame).failed());
}

TEST(Wire, RefusesABooleanOfTwo)
{
    const std::string frame(Writer(1, 2).u8(2).frame());
    Reader reader(frame);
    EXPECT_FALSE(reader.boolean());
    EXPECT_FALSE(reader.finish());
}

TEST(Wire, RefusesALengthBeyondTheEnd)
{
    for (const std::uint32_t length : {1U, 0x7fffffffU, 0xffffffffU}) {
        const std::string frame(Writer(1, 2).u32(length).frame());
        Reader reader(frame);
        EXPECT_EQ(reader.bytes(), "");
        EXPECT_FALSE(reader.finish());
    }
}

TEST(Wire, RefusesACountThatCannotBeTrue)
{
    Writer writer(1, 2);
    writer.u32(3).u64(0);
    const std::string frame(writer.frame());
    EXPECT_EQ(Reader(frame).count(4), 0U); // eight bytes hold two elements of four
    EXPECT_EQ(Reader(frame).count(2), 3U);
    EXPECT_EQ(Reader(frame).count(0), 3U);
    EXPECT_TRUE(Reader(std::string(Writer(1, 2).u32(0xffffffff).frame())).list().empty());
}

TEST(Wire, ReadsNothingAfterTheFirstError)
{
    Writer writer(1, 2);
    writer.u8(9).u8(1).u8(1).bytes("abc");
    const std::string frame(writer.frame());
    Reader reader(frame);
    EXPECT_FALSE(reader.boolean());
    EXPECT_TRUE(reader.failed());
    EXPECT_FALSE(reader.boolean());
    EXPECT_EQ(reader.u8(), 0);
    EXPECT_EQ(reader.u32(), 0U);
    EXPECT_EQ(reader.u64(), 0U);
    EXPECT_EQ(reader.bytes(), "");
    EXPECT_TRUE(reader.list().empty());
    EXPECT_EQ(reader.count(1), 0U);
    EXPECT_FALSE(reader.finish());
}

TEST(Wire, WritesFramesUpToTheLimitAndNoneBeyond)
{
    const std::size_t room = max_frame - Writer(1, 2).bytes("").frame().size();
    Writer fits(1, 2);
    fits.bytes(std::string(room, 'x'));
    EXPECT_EQ(fits.frame().size(), max_frame);
    Reader reader(fits.frame());
    EXPECT_EQ(reader.bytes().size(), room);
    EXPECT_TRUE(reader.finish());

    Writer too_long(1, 2);
    too_long.bytes(std::string(room + 1, 'x')).u8(1);
    EXPECT_TRUE(too_long.frame().empty());

    Writer grows(1, 2);
    for (std::size_t i = 0; i < max_frame; ++i)
        grows.u8(0);
    EXPECT_TRUE(grows.frame().empty());
}

TEST(Wire, KeepsItsBytesWhileItGrowsAndMoves)
{
    Writer writer(1, 2);
    std::string expected;
    for (int i = 0; i < 5000; ++i) {
        writer.u8(static_cast<std::uint8_t>(i));
        expected += static_cast<char>(i);
    }
    const Writer moved = std::move(writer);
    EXPECT_EQ(moved.frame().substr(10), expected);
    EXPECT_TRUE(writer.frame().empty()); // NOLINT(bugprone-use-after-move): that it is empty is the point
}

} // namespace
} // namespace aduana::wire
