// SPDX-License-Identifier: Apache-2.0
// Addresses in, the same addresses in another order out.
#include "proxy/core/dial_order.hpp"

#include <gtest/gtest.h>

#include <string>

namespace aduana::proxy {
namespace {

std::vector<policy::PinnedAddress> pinned(const std::vector<std::string>& texts)
{
    policy::Rule rule;
    rule.addresses = {policy::Cidr::parse("0.0.0.0/0").value(), policy::Cidr::parse("::/0").value()};
    std::vector<policy::Ip> ips;
    for (const auto& text : texts)
        ips.push_back(policy::Ip::parse(text).value());
    return policy::vet(ips, 443, rule).addresses;
}

std::vector<std::string> ordered(const std::vector<std::string>& texts)
{
    std::vector<std::string> order;
    for (const auto& address : dial_order(pinned(texts)))
        order.push_back(address.ip().to_string());
    return order;
}

using Order = std::vector<std::string>;

TEST(DialOrder, LetsTheFamiliesTakeTurns)
{
    EXPECT_EQ(ordered({"2606:4700::1", "2606:4700::2", "2606:4700::3", "8.8.8.1", "8.8.8.2"}),
              (Order{"2606:4700::1", "8.8.8.1", "2606:4700::2", "8.8.8.2", "2606:4700::3"}));
}

TEST(DialOrder, BeginsWithTheFamilyOfTheFirstAndKeepsTheOrderWithin)
{
    EXPECT_EQ(ordered({"8.8.8.2", "8.8.8.1", "2606:4700::9", "8.8.8.3"}),
              (Order{"8.8.8.2", "2606:4700::9", "8.8.8.1", "8.8.8.3"}));
}

TEST(DialOrder, LeavesOneFamilyAlone)
{
    EXPECT_EQ(ordered({}), Order{});
    EXPECT_EQ(ordered({"2606:4700::2", "2606:4700::1"}), (Order{"2606:4700::2", "2606:4700::1"}));
    EXPECT_EQ(ordered({"8.8.8.8", "8.8.4.4"}), (Order{"8.8.8.8", "8.8.4.4"}));
}

TEST(DialOrder, IsBoundedAndKeepsBothFamilies)
{
    std::vector<std::string> many;
    for (int i = 1; i <= 200; ++i)
        many.push_back("8.8.1." + std::to_string(i));
    many.emplace_back("2606:4700::1");
    const auto order = ordered(many);
    EXPECT_EQ(order.size(), most_dialled);
    EXPECT_EQ(order[1], "2606:4700::1");
}

} // namespace
} // namespace aduana::proxy
