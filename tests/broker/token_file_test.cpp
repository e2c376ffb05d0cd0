// SPDX-License-Identifier: Apache-2.0
// The file, as two brokers that opened it each for themselves have it.
#include "broker/shell/token_file.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace aduana::broker {
namespace {

class TokenFileTest : public testing::Test {
protected:
    /// Each time anew, as two brokers would.
    [[nodiscard]] UniqueFd open(int mode = O_RDWR) const
    {
        const auto path = "/proc/self/fd/" + std::to_string(memory_.get());
        return UniqueFd(::open(path.c_str(), mode | O_CLOEXEC));
    }

    UniqueFd memory_{::memfd_create("token", MFD_CLOEXEC)};
};

TEST_F(TokenFileTest, HoldsTwoBoxesForWhoeverOpensIt)
{
    TokenFile one(open());
    ASSERT_TRUE(one.read());
    EXPECT_EQ(*one.read(), (std::array<std::string, 2>{}));
    const std::string long_box(16 * 1024 - 2, 'x');
    ASSERT_TRUE(one.write(1, "short"));
    EXPECT_EQ(*one.read(), (std::array<std::string, 2>{"", "short"}));
    ASSERT_TRUE(one.write(0, long_box));
    TokenFile other(open());
    EXPECT_EQ(*other.read(), (std::array<std::string, 2>{long_box, "short"}));
    EXPECT_FALSE(one.write(0, long_box + "x"));
}

TEST_F(TokenFileTest, OneHasItUntilItIsGivenBackOrClosed)
{
    std::optional<TokenFile> one(open());
    TokenFile other(open());
    EXPECT_TRUE(one->lock().value());
    EXPECT_TRUE(one->lock().value());
    EXPECT_FALSE(other.lock().value());
    one->unlock();
    EXPECT_TRUE(other.lock().value());
    EXPECT_FALSE(one->lock().value());
    other.unlock();
    EXPECT_TRUE(one->lock().value());
    one.reset();
    EXPECT_TRUE(other.lock().value());
}

TEST_F(TokenFileTest, ALengthThatIsTooLongIsADamagedBox)
{
    const auto fd = open();
    ASSERT_EQ(::write(fd.get(), "\xff\xffgarbage", 9), 9);
    TokenFile one(open());
    EXPECT_EQ((*one.read())[0], "garbage");
    ASSERT_EQ(::ftruncate(fd.get(), 1), 0);
    EXPECT_EQ((*one.read())[0], "");
}

TEST_F(TokenFileTest, AFileThatCannotBeWrittenSaysSo)
{
    TokenFile one(open(O_RDONLY));
    const auto written = one.write(0, "box");
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().message, "its refresh token cannot be kept: Bad file descriptor");
}

} // namespace
} // namespace aduana::broker
