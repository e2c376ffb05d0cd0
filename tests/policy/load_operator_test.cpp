// SPDX-License-Identifier: Apache-2.0
// What becomes of an operator's file that loads.
#include "policy/load/load.hpp"

#include <gtest/gtest.h>

namespace aduana::policy {
namespace {

TEST(LoadOperatorSettings, KeepsEveryKey)
{
    const auto loaded = load_operator_settings("version: 1\n"
                                               "upstream:\n"
                                               "  extra_ca: [/etc/ssl/corp-root.pem]\n"
                                               "  hosts: {API.demo.test: [127.0.0.1, \"::1\"]}\n"
                                               "  nameservers: [10.0.0.53]\n"
                                               "journal: {directory: /var/log/aduana, durability: power}\n"
                                               "defaults: {limits: {processes: 512}}\n"
                                               "identities: {proxy: 1, broker: 2, sandbox: 3}\n",
                                               "aduana.yaml");
    ASSERT_TRUE(loaded) << to_text(loaded.error());
    EXPECT_EQ(loaded->extra_ca, std::vector<std::string>{"/etc/ssl/corp-root.pem"});
    ASSERT_TRUE(loaded->hosts.contains("api.demo.test"));
    EXPECT_EQ(loaded->hosts.at("api.demo.test"), (std::vector<Ip>{*Ip::parse("127.0.0.1"), *Ip::parse("::1")}));
    EXPECT_EQ(loaded->nameservers, std::vector<Ip>{*Ip::parse("10.0.0.53")});
    EXPECT_EQ(loaded->journal_directory, "/var/log/aduana");
    EXPECT_EQ(loaded->durability, Durability::power);
    EXPECT_EQ(loaded->default_limits.processes, 512U);
    EXPECT_EQ(loaded->proxy_id, 1U);
    EXPECT_EQ(loaded->broker_id, 2U);
    EXPECT_EQ(loaded->sandbox_id, 3U);
}

TEST(LoadOperatorSettings, HasDefaultsForWhatIsLeftOut)
{
    const auto loaded = load_operator_settings("version: 1\n", "aduana.yaml");
    ASSERT_TRUE(loaded);
    EXPECT_EQ(loaded->journal_directory, "");
    EXPECT_EQ(loaded->durability, Durability::process);
    EXPECT_EQ(loaded->proxy_id, 61901U);
    EXPECT_EQ(loaded->broker_id, 61902U);
    EXPECT_EQ(loaded->sandbox_id, 61903U);
}

} // namespace
} // namespace aduana::policy
