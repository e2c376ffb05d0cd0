// SPDX-License-Identifier: Apache-2.0
// Basic is read in its one canonical spelling.
#include "proxy/core/basic.hpp"

#include <gtest/gtest.h>

namespace aduana::proxy {
namespace {

TEST(Basic, ReadsTheExampleOfItsRfc)
{
    // RFC 7617 section 2.
    EXPECT_EQ(read_basic("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="), "Aladdin:open sesame");
    EXPECT_EQ(read_basic("bASIC  QWxhZGRpbjpvcGVuIHNlc2FtZQ=="), "Aladdin:open sesame");
    EXPECT_EQ(write_basic("Aladdin", "open sesame").reveal(), "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
}

TEST(Basic, ReadsEveryLengthThatItWrites)
{
    for (const std::string password : {"", "a", "ab", "abc", "\xff\xfe:\x80"}) {
        const auto written = write_basic("u", password);
        EXPECT_EQ(read_basic(written.reveal()), "u:" + password);
    }
}

TEST(Basic, RefusesASecondSpelling)
{
    for (const auto* value :
         {"Basic", "Basic ", "Basicdm86", "Bearer dTph", "Basic dTph=", "Basic dTphYg",
          "Basic dTphYg=", "Basic dTphYh==", "Basic dT ph", "Basic dTp_", "Basic dTph\n", "Basic ====", "Basic YWJj"})
        EXPECT_EQ(read_basic(value), std::nullopt) << value;
}

} // namespace
} // namespace aduana::proxy
