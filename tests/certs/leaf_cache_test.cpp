// SPDX-License-Identifier: Apache-2.0
// The cache of leaves: what is minted, what is kept, what goes.
#include "certs/leaf_cache.hpp"

#include "tests/certs/verify_chain.hpp"

#include <gtest/gtest.h>

namespace aduana::certs {
namespace {

using namespace std::chrono_literals;

const TimePoint now = std::chrono::sys_days(std::chrono::year(2026) / 7 / 1);

TEST(LeafCache, MintsOnceForEachHost)
{
    const TaskCa ca = TaskCa::create("demo", now);
    LeafCache cache(ca);
    const Leaf first = cache.leaf_for(host("api.example.com"), now);
    const Leaf again = cache.leaf_for(host("API.example.com."), now + 1h);
    EXPECT_EQ(first.certificate, again.certificate);
    EXPECT_EQ(first.key, ca.leaf_key());
    EXPECT_EQ(cache.minted(), 1U);
    EXPECT_NE(cache.leaf_for(host("192.0.2.1"), now).certificate, first.certificate);
    EXPECT_EQ(cache.minted(), 2U);
}

TEST(LeafCache, TheLeafIsForTheHostAskedFor)
{
    const TaskCa ca = TaskCa::create("demo", now);
    LeafCache cache(ca, 1);
    const StorePtr store = store_of(ca.certificate());
    for (const char* name : {"a.example.com", "b.example.com", "a.example.com"})
        EXPECT_EQ(verify_chain(store.get(), cache.leaf_for(host(name), now).certificate, host(name), now), "ok");
    EXPECT_EQ(cache.minted(), 3U);
}

TEST(LeafCache, TheLeastRecentlyUsedLeafGoesFirst)
{
    const TaskCa ca = TaskCa::create("demo", now);
    LeafCache cache(ca, 2);
    static_cast<void>(cache.leaf_for(host("a.test"), now));
    static_cast<void>(cache.leaf_for(host("b.test"), now));
    static_cast<void>(cache.leaf_for(host("a.test"), now));
    static_cast<void>(cache.leaf_for(host("c.test"), now));
    EXPECT_EQ(cache.size(), 2U);
    EXPECT_EQ(cache.minted(), 3U);
    static_cast<void>(cache.leaf_for(host("a.test"), now));
    EXPECT_EQ(cache.minted(), 3U) << "a.test was used later than b.test";
    static_cast<void>(cache.leaf_for(host("b.test"), now));
    EXPECT_EQ(cache.minted(), 4U);
}

TEST(LeafCache, StaysWithinItsCapacity)
{
    const TaskCa ca = TaskCa::create("demo", now);
    LeafCache cache(ca, 3);
    for (int i = 0; i < 20; ++i)
        static_cast<void>(cache.leaf_for(host("h" + std::to_string(i) + ".test"), now));
    EXPECT_EQ(cache.size(), 3U);
    LeafCache none(ca, 0);
    static_cast<void>(none.leaf_for(host("a.test"), now));
    EXPECT_EQ(none.size(), 1U) << "the leaf that was just handed out is always kept";
}

TEST(LeafCache, MintsAnewOnTheLastDayOfALeaf)
{
    const TaskCa ca = TaskCa::create("demo", now);
    LeafCache cache(ca);
    const auto api = host("api.example.com");
    static_cast<void>(cache.leaf_for(api, now));
    static_cast<void>(cache.leaf_for(api, now + leaf_validity - 24h));
    EXPECT_EQ(cache.minted(), 1U);
    const TimePoint last_day = now + leaf_validity - 24h + 1s;
    const Leaf leaf = cache.leaf_for(api, last_day);
    EXPECT_EQ(cache.minted(), 2U);
    EXPECT_EQ(cache.size(), 1U);
    EXPECT_EQ(verify_chain(store_of(ca.certificate()).get(), leaf.certificate, api, now + leaf_validity + 24h), "ok");
}

} // namespace
} // namespace aduana::certs
