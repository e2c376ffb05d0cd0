// SPDX-License-Identifier: Apache-2.0
// Ed25519 keys against a vector of RFC 8032, in and out of PEM, and signatures that must not hold.
#include "certs/signing_key.hpp"

#include "certs/digest.hpp"

#include <gtest/gtest.h>

namespace aduana::certs {
namespace {

// RFC 8032 section 7.1, TEST 2.
const std::string rfc_seed = from_hex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb").value();
constexpr std::string_view rfc_public = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c";
constexpr std::string_view rfc_signature = "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
                                           "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00";

TEST(SigningKey, SignsTheVectorOfRfc8032)
{
    const auto key = SigningKey::from_seed(rfc_seed);
    ASSERT_TRUE(key);
    EXPECT_EQ(to_hex(view_of(key->verifying_key().bytes())), rfc_public);
    EXPECT_EQ(to_hex(view_of(key->sign("r"))), rfc_signature);
}

TEST(SigningKey, EveryChangedBitOfASignatureIsNoticed)
{
    const SigningKey key = SigningKey::generate();
    const Signature signature = key.sign("message");
    ASSERT_TRUE(key.verifying_key().verify("message", view_of(signature)));
    for (std::size_t bit = 0; bit < signature.size() * 8; ++bit) {
        Signature changed = signature;
        changed[bit / 8] = static_cast<std::uint8_t>(changed[bit / 8] ^ 1U << bit % 8);
        EXPECT_FALSE(key.verifying_key().verify("message", view_of(changed))) << bit;
    }
}

TEST(SigningKey, ASignatureHoldsForItsMessageAndKeyOnly)
{
    const SigningKey key = SigningKey::generate();
    const Signature signature = key.sign("message");
    const std::string text(view_of(signature));
    EXPECT_FALSE(key.verifying_key().verify("messagf", text));
    EXPECT_FALSE(key.verifying_key().verify("", text));
    EXPECT_FALSE(SigningKey::generate().verifying_key().verify("message", text));
    EXPECT_FALSE(key.verifying_key().verify("message", text.substr(1)));
    EXPECT_FALSE(key.verifying_key().verify("message", text + '\0'));
    EXPECT_FALSE(key.verifying_key().verify("message", ""));
}

TEST(SigningKey, APublicKeyThatIsNoPointVerifiesNothing)
{
    PublicKeyBytes bytes{};
    bytes.fill(0xFF);
    EXPECT_FALSE(VerifyingKey(bytes).verify("message", std::string(64, '\0')));
}

TEST(SigningKey, SurvivesPem)
{
    const SigningKey key = SigningKey::generate();
    const Secret pem = key.to_pem();
    EXPECT_TRUE(pem.reveal().starts_with("-----BEGIN PRIVATE KEY-----\n"));
    const auto again = SigningKey::from_pem(pem.reveal());
    ASSERT_TRUE(again);
    EXPECT_EQ(again->seed().reveal(), key.seed().reveal());

    const std::string public_pem = key.verifying_key().to_pem();
    EXPECT_TRUE(public_pem.starts_with("-----BEGIN PUBLIC KEY-----\n"));
    const auto public_again = VerifyingKey::from_pem(public_pem);
    ASSERT_TRUE(public_again);
    EXPECT_EQ(public_again->bytes(), key.verifying_key().bytes());
}

TEST(SigningKey, TheKeyIdIsTheDigestOfThePublicKey)
{
    const auto key = SigningKey::from_seed(rfc_seed);
    ASSERT_TRUE(key);
    EXPECT_EQ(key->verifying_key().key_id(), to_hex(sha256(from_hex(rfc_public).value())));
}

TEST(SigningKey, SeedsOfAnotherSizeAreRefused)
{
    EXPECT_EQ(SigningKey::from_seed(std::string(31, 'x')).error().message,
              "the seed of an Ed25519 key has 31 bytes instead of 32");
    EXPECT_FALSE(SigningKey::from_seed(std::string(33, 'x')));
}

TEST(SigningKey, PemOfAnotherKindIsRefused)
{
    constexpr std::string_view p256 = "-----BEGIN PUBLIC KEY-----\n"
                                      "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEPwKS8NJLRSVFlnBaj5c2Qi2GDkVg\n"
                                      "n5rkBrrb6w4sXW4mzWMHh0WXP/Iny3rBNxFnYb8FmTqh3UEjz+Yd8tU6rQ==\n"
                                      "-----END PUBLIC KEY-----\n";
    for (const std::string_view pem : {std::string_view(""), std::string_view("hello"), p256}) {
        SCOPED_TRACE(pem);
        EXPECT_EQ(VerifyingKey::from_pem(pem).error().message, "the public key is not an Ed25519 key in PEM");
        EXPECT_EQ(SigningKey::from_pem(pem).error().message,
                  "the signing key is not an unencrypted Ed25519 key in PEM");
    }
}

TEST(SigningKey, AnEncryptedKeyIsRefusedWithoutAskingForAPassword)
{
    // openssl genpkey -algorithm ed25519 -aes-128-cbc -pass pass:test
    constexpr std::string_view encrypted = "-----BEGIN ENCRYPTED PRIVATE KEY-----\n"
                                           "MIGbMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAjkTBxHf4j2JQICCAAw\n"
                                           "DAYIKoZIhvcNAgkFADAdBglghkgBZQMEAQIEEFsZmB4IKMLHQ3te3kBf448EQHou\n"
                                           "UPV3T2kAgKLwY8E14l/DjphHtJJwBC9i9p9ay/YYuVox2m0v9qRsvYhys3GTuotL\n"
                                           "08AuSynKr9/Eudls6XY=\n"
                                           "-----END ENCRYPTED PRIVATE KEY-----\n";
    EXPECT_FALSE(SigningKey::from_pem(encrypted));
}

} // namespace
} // namespace aduana::certs
