// SPDX-License-Identifier: Apache-2.0
// Signatures as published in RFC 7515 and RFC 8037, and keys that are refused.
#include "tests/broker/signed.hpp"

#include "tests/support/vectors.hpp"

namespace aduana::broker {
namespace {

using mint::decoded_base64url;
using mint::taken_apart;
using policy::SignatureAlgorithm;

SignatureAlgorithm algorithm_of(std::string_view name)
{
    for (const auto algorithm :
         {SignatureAlgorithm::hs256, SignatureAlgorithm::rs256, SignatureAlgorithm::es256, SignatureAlgorithm::eddsa}) {
        if (name_of(algorithm) == name)
            return algorithm;
    }
    ADD_FAILURE() << name;
    return SignatureAlgorithm::hs256;
}

std::string key_for(std::string_view name)
{
    for (const auto& row : test::read_vectors("signed_statements.txt", 5)) {
        if (row[0] == name)
            return row[1];
    }
    return {};
}

TEST(Jws, SignsWhatThePublishedExamplesSign)
{
    const auto rows = test::read_vectors("signed_statements.txt", 5);
    ASSERT_EQ(rows.size(), 4U);
    for (const auto& row : rows) {
        SCOPED_TRACE(row[0]);
        const auto key = SigningKey::read(algorithm_of(row[0]), row[1]);
        ASSERT_TRUE(key) << describe(key.error());
        const auto token = sign_compact(*key, row[2], row[3]);
        const auto statement = taken_apart(token.reveal());
        EXPECT_EQ(statement.header, row[2]);
        EXPECT_EQ(statement.payload, row[3]);
        // ECDSA signs with a new nonce each time: both the published signature and ours are verified.
        if (row[0] == "ES256") {
            EXPECT_TRUE(mint::verified_es256(row[1], statement.signed_text, statement.signature));
            EXPECT_TRUE(mint::verified_es256(row[1], statement.signed_text, decoded_base64url(row[4])));
        } else {
            EXPECT_EQ(statement.signature, decoded_base64url(row[4]));
        }
    }
}

TEST(Jws, WritesEachHalfOfAnEs256SignatureIn32Bytes)
{
    // One in 128 of r and s has a leading zero byte, which DER leaves out and JWS must not.
    const auto pem = key_for("ES256");
    const auto key = SigningKey::read(SignatureAlgorithm::es256, pem);
    ASSERT_TRUE(key);
    for (int i = 0; i < 600; ++i) {
        const auto text = std::to_string(i);
        ASSERT_TRUE(mint::verified_es256(pem, text, key->sign(text))) << i;
    }
}

TEST(Jws, RefusesKeysThatDoNotFitTheirAlgorithm)
{
    struct Case {
        std::string sentence;
        SignatureAlgorithm algorithm;
        std::string key;
        std::string says;
    };
    const std::string no_key = "it holds no unencrypted private key in PEM form";
    const std::vector<Case> cases{
        {"an empty file", SignatureAlgorithm::rs256, "", no_key},
        {"text that is no key", SignatureAlgorithm::es256, "hunter2hunter2", no_key},
        {"an RSA key for ES256", SignatureAlgorithm::es256, key_for("RS256"), "its key does not fit ES256"},
        {"a P-256 key for RS256", SignatureAlgorithm::rs256, key_for("ES256"), "its key does not fit RS256"},
        {"an Ed25519 key for ES256", SignatureAlgorithm::es256, key_for("EdDSA"), "its key does not fit ES256"},
        {"a P-256 key for EdDSA", SignatureAlgorithm::eddsa, key_for("ES256"), "its key does not fit EdDSA"},
        {"31 bytes for HS256", SignatureAlgorithm::hs256, std::string(31, 'k') + "\n",
         "its key is shorter than 32 bytes, which HS256 needs"},
    };
    for (const auto& test : cases) {
        SCOPED_TRACE(test.sentence);
        const auto key = SigningKey::read(test.algorithm, test.key);
        ASSERT_FALSE(key);
        EXPECT_EQ(key.error().message, test.says);
        EXPECT_EQ(describe(key.error()).find("hunter2"), std::string::npos);
    }
}

TEST(Jws, AKeyThatWasMadeHereCanBeWrittenAndReadAgain)
{
    const auto made = SigningKey::generate();
    const auto pem = made.to_pem();
    const auto read = SigningKey::read(SignatureAlgorithm::es256, pem.reveal());
    ASSERT_TRUE(read) << describe(read.error());
    EXPECT_EQ(read->public_jwk(), made.public_jwk());
    EXPECT_NE(SigningKey::generate().public_jwk(), made.public_jwk());
}

} // namespace
} // namespace aduana::broker
