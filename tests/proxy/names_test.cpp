// SPDX-License-Identifier: Apache-2.0
// Synthetic addresses, there and back.
#include "proxy/core/names.hpp"

#include <gtest/gtest.h>

namespace aduana::proxy {
namespace {

policy::Host host(const std::string& text)
{
    return policy::Host::parse(text).value();
}

policy::Ip ip(const char* text)
{
    return policy::Ip::parse(text).value();
}

TEST(SyntheticNames, GiveEachNameOneAddressForGood)
{
    SyntheticNames names;
    EXPECT_EQ(names.address_of(host("a.test")), ip("198.19.0.1"));
    EXPECT_EQ(names.address_of(host("b.test")), ip("198.19.0.2"));
    EXPECT_EQ(names.address_of(host("A.TEST.")), ip("198.19.0.1"));
    EXPECT_EQ(names.size(), 2U);
}

TEST(SyntheticNames, LeadBackToTheName)
{
    SyntheticNames names;
    const auto address = names.address_of(host("a.test"));
    ASSERT_TRUE(address);
    ASSERT_NE(names.name_at(*address), nullptr);
    EXPECT_EQ(names.name_at(*address)->text(), "a.test");
}

TEST(SyntheticNames, KnowNoNameForOtherAddresses)
{
    SyntheticNames names;
    ASSERT_TRUE(names.address_of(host("a.test")));
    for (const char* text :
         {"198.19.0.0", "198.19.0.2", "198.19.255.255", "198.18.0.1", "192.0.2.1", "::ffff:198.19.0.1"})
        EXPECT_EQ(names.name_at(ip(text)), nullptr) << text;
}

TEST(SyntheticNames, KnowTheirRange)
{
    for (const char* text : {"198.19.0.0", "198.19.0.1", "198.19.255.255"})
        EXPECT_TRUE(SyntheticNames::in_range(ip(text))) << text;
    for (const char* text : {"198.18.255.255", "198.20.0.0", "192.0.2.1", "c613::", "::ffff:198.19.0.1"})
        EXPECT_FALSE(SyntheticNames::in_range(ip(text))) << text;
}

TEST(SyntheticNames, StopAtTheirCapacity)
{
    SyntheticNames names;
    std::optional<policy::Ip> last;
    for (std::size_t i = 0; i < SyntheticNames::capacity; ++i)
        last = names.address_of(host("n" + std::to_string(i) + ".test"));
    EXPECT_EQ(last, ip("198.19.255.254"));
    EXPECT_EQ(names.address_of(host("one.more.test")), std::nullopt);
    EXPECT_EQ(names.address_of(host("n0.test")), ip("198.19.0.1")) << "known names stay";
    EXPECT_EQ(names.name_at(ip("198.19.255.254"))->text(), "n65533.test");
}

} // namespace
} // namespace aduana::proxy
