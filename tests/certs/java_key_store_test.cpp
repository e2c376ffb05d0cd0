// SPDX-License-Identifier: Apache-2.0
// The bytes of a Java key store.
#include "certs/digest.hpp"
#include "certs/trust.hpp"

#include <gtest/gtest.h>

namespace aduana::certs {
namespace {

TEST(JavaKeyStore, AnEmptyStoreIsTheOneThatJavaWrites)
{
    // java.security.KeyStore.getInstance("JKS").store(out, "changeit".toCharArray()) with no entries.
    EXPECT_EQ(to_hex(to_jks({}, "changeit", 0)), "feedfeed0000000200000000e2686e45fb43dfa4d992dd41ceb6b21c6330d792");
}

TEST(JavaKeyStore, AnEntryIsTagAliasDateTypeAndCertificate)
{
    const std::string store = to_jks({{"ca", "DER"}}, "changeit", 0x0102030405060708);
    EXPECT_EQ(to_hex(store.substr(0, store.size() - 20)), "feedfeed"
                                                          "00000002"
                                                          "00000001"
                                                          "00000002"
                                                          "00026361"
                                                          "0102030405060708"
                                                          "0005582e353039"
                                                          "00000003444552");
}

TEST(JavaKeyStore, AliasesAreModifiedUtf8)
{
    const std::pair<std::string, std::string> cases[] = {
        {std::string(1, '\0'), "0002c080"},       {"\xC3\xA9", "0002c3a9"}, {"\xE2\x82\xAC", "0003e282ac"},
        {"\xF0\x9F\x98\x80", "0006eda0bdedb880"}, {"\xFF", "0003efbfbd"},
    };
    for (const auto& [alias, encoded] : cases) {
        SCOPED_TRACE(encoded);
        const std::string store = to_jks({{alias, ""}}, "changeit", 0);
        EXPECT_EQ(to_hex(store.substr(16, encoded.size() / 2)), encoded);
    }
}

TEST(JavaKeyStore, TheDigestDependsOnThePasswordAndOnEveryByte)
{
    const auto digest = [](const std::string& store) { return store.substr(store.size() - 20); };
    const std::string one = digest(to_jks({{"ca", "DER"}}, "changeit", 0));
    EXPECT_NE(one, digest(to_jks({{"ca", "DER"}}, "changed", 0)));
    EXPECT_NE(one, digest(to_jks({{"ca", "DES"}}, "changeit", 0)));
}

} // namespace
} // namespace aduana::certs
