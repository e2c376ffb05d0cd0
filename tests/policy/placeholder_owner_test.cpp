// SPDX-License-Identifier: Apache-2.0
// Variables of placeholders and of metadata services.
#include "policy/placeholder_owner.hpp"

#include <gtest/gtest.h>

namespace aduana::policy {
namespace {

TEST(PlaceholderOwner, IsTheCredentialThatGivesTheVariable)
{
    std::vector<CredentialDeclaration> credentials(2);
    credentials[0].placeholder_env = {"A", "B"};
    credentials[1].placeholder_env = {"C"};
    credentials[1].metadata = MetadataService::gcp;
    EXPECT_EQ(placeholder_owner("B", credentials), &credentials[0]);
    EXPECT_EQ(placeholder_owner("C", credentials), &credentials[1]);
    EXPECT_EQ(placeholder_owner("GCE_METADATA_HOST", credentials), &credentials[1]);
    EXPECT_EQ(placeholder_owner("D", credentials), nullptr);
}

} // namespace
} // namespace aduana::policy
