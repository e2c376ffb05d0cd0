// SPDX-License-Identifier: Apache-2.0
// A zone holds its own name and what is below it, and no name that only looks like one of them.
#include "policy/special_names.hpp"

#include <gtest/gtest.h>

namespace aduana::policy {
namespace {

Host host(std::string_view text)
{
    return Host::parse(text).value();
}

TEST(SpecialNames, OfLoopback)
{
    for (const auto* const name : {"localhost", "LOCALHOST.", "a.localhost"})
        EXPECT_TRUE(names_loopback(host(name))) << name;
    for (const auto* const name : {"mylocalhost", "localhost.example.com", "127.0.0.1"})
        EXPECT_FALSE(names_loopback(host(name))) << name;
}

TEST(SpecialNames, OfMetadataServices)
{
    for (const auto* const name : {"metadata.google.internal", "Metadata.Goog", "x.metadata.azure.com"})
        EXPECT_TRUE(names_metadata_service(host(name))) << name;
    for (const auto* const name : {"my-metadata.goog", "metadata.goog.example.com", "google.internal"})
        EXPECT_FALSE(names_metadata_service(host(name))) << name;
}

} // namespace
} // namespace aduana::policy
