// SPDX-License-Identifier: Apache-2.0
// The key pair of version 4A.
#include "broker/sign/sigv4a.hpp"

#include "broker/sign/digest.hpp"

#include <gtest/gtest.h>

namespace aduana::broker {
namespace {

constexpr std::string_view key_id = "AKIDEXAMPLE";
constexpr std::string_view secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";

TEST(Sigv4a, ThePublishedPublicKeyIsDerived)
{
    EXPECT_EQ(to_hex(sigv4a_public_key(sigv4a_private_key(key_id, secret))),
              "04b6618f6a65740a99e650b33b6b4b5bd0d43b176d721a3edfea7e7d2d56d936b1"
              "865ed22a7eadc9c5cb9d2cbaca1b3699139fedc5043dc6661864218330c8e518");
}

TEST(Sigv4a, IdAndSecretBothChangeTheKey)
{
    const auto key = [](std::string_view id, std::string_view value) {
        return to_hex(sigv4a_private_key(id, value).reveal());
    };
    EXPECT_EQ(key(key_id, secret).size(), 64U);
    EXPECT_NE(key("AKIDEXAMPLF", secret), key(key_id, secret));
    EXPECT_NE(key(key_id, "another"), key(key_id, secret));
}

TEST(Sigv4a, ASignatureIsForOneTextAndOneKey)
{
    const auto key = sigv4a_private_key(key_id, secret);
    const auto public_key = sigv4a_public_key(key);
    const auto signature = sigv4a_sign(key, "text");
    EXPECT_TRUE(sigv4a_verify(public_key, "text", signature));
    EXPECT_FALSE(sigv4a_verify(public_key, "other", signature));
    EXPECT_FALSE(sigv4a_verify(sigv4a_public_key(sigv4a_private_key("other", secret)), "text", signature));
    EXPECT_FALSE(sigv4a_verify(public_key, "text", signature.substr(1)));
    EXPECT_FALSE(sigv4a_verify("no point", "text", signature));
}

} // namespace
} // namespace aduana::broker
