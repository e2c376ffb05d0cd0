// SPDX-License-Identifier: Apache-2.0
// Boxes: what goes in comes out, for the right key and under the right name alone.
#include "broker/sealed/sealed_secret.hpp"

#include <gtest/gtest.h>

namespace aduana::broker {
namespace {

using namespace std::chrono_literals;

SealedSecret secret()
{
    return {"issues",
            {{"api.example.com", ".example.org"}, {"build-*"}, std::chrono::sys_seconds(1800000000s), 600s},
            Secret::copy_of("hunter2\nhunter2\0x")};
}

TEST(SealedSecret, OpensToWhatWasSealed)
{
    const auto keys = make_store_keys();
    const auto box = seal(secret(), keys.public_key);
    ASSERT_TRUE(box);
    EXPECT_EQ(box->find("hunter2"), std::string::npos);
    EXPECT_EQ(box->find("example"), std::string::npos);
    const auto opened = unseal(*box, "issues", keys);
    ASSERT_TRUE(opened) << describe(opened.error());
    EXPECT_EQ(opened->value.reveal(), secret().value.reveal());
    EXPECT_EQ(opened->restrictions.hosts, secret().restrictions.hosts);
    EXPECT_EQ(opened->restrictions.tasks, secret().restrictions.tasks);
    EXPECT_EQ(opened->restrictions.not_after, secret().restrictions.not_after);
    EXPECT_EQ(opened->restrictions.max_ttl, secret().restrictions.max_ttl);
    // Whoever compares two boxes does not learn whether they hold the same.
    EXPECT_NE(*seal(secret(), keys.public_key), *box);
}

TEST(SealedSecret, IsUnrestrictedWhereNothingWasSaid)
{
    const auto keys = make_store_keys();
    const auto box = seal({"a", {}, Secret::copy_of("v")}, keys.public_key);
    ASSERT_TRUE(box);
    const auto opened = unseal(*box, "a", keys);
    ASSERT_TRUE(opened);
    EXPECT_TRUE(opened->restrictions.hosts.empty());
    EXPECT_TRUE(opened->restrictions.tasks.empty());
    EXPECT_FALSE(opened->restrictions.not_after);
    EXPECT_FALSE(opened->restrictions.max_ttl);
}

TEST(SealedSecret, OpensForNoOtherKeyNameOrByte)
{
    const auto keys = make_store_keys();
    const auto box = seal(secret(), keys.public_key);
    ASSERT_TRUE(box);
    EXPECT_EQ(unseal(*box, "issues", make_store_keys()).error().message,
              "it does not open: it is damaged, or was sealed for another key");
    EXPECT_EQ(unseal(*box, "other", keys).error().message, "it was stored under another name");
    for (std::size_t i = 0; i < box->size(); ++i) {
        auto damaged = *box;
        damaged[i] = static_cast<char>(damaged[i] ^ 1);
        ASSERT_FALSE(unseal(damaged, "issues", keys)) << "byte " << i;
        ASSERT_FALSE(unseal(std::string_view(*box).substr(0, i), "issues", keys)) << "cut to " << i;
    }
    EXPECT_FALSE(unseal(*box + "x", "issues", keys));
    EXPECT_FALSE(unseal(std::string(70000, 'x'), "issues", keys));
}

TEST(SealedSecret, RefusesWhatCannotBeSealed)
{
    const auto keys = make_store_keys();
    EXPECT_FALSE(seal({"a", {}, Secret::copy_of(std::string(64 * 1024, 'x'))}, keys.public_key));
    EXPECT_FALSE(seal(secret(), "not a key"));
}

TEST(StoreKeys, AreReadAgainFromThePrivateHalf)
{
    const auto keys = make_store_keys();
    const auto read = read_store_keys(keys.private_key.reveal());
    ASSERT_TRUE(read);
    EXPECT_EQ(read->public_key, keys.public_key);
    EXPECT_FALSE(read_store_keys("short"));
    EXPECT_FALSE(read_store_keys(""));
}

} // namespace
} // namespace aduana::broker
