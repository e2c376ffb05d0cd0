// SPDX-License-Identifier: Apache-2.0
// Proofs of possession, held against the examples of RFC 9449.
#include "broker/mint/dpop.hpp"

#include "tests/broker/signed.hpp"

#include <gtest/gtest.h>

namespace aduana::broker {
namespace {

// RFC 9449 section 4.1: the published key is only public; the members and their order are what is compared.
TEST(DpopProof, HasTheHeaderAndClaimsOfThePublishedExample)
{
    const auto key = SigningKey::generate();
    const auto proof =
        dpop_proof(key, {"POST", "https://server.example.com/token", 1562262616, "-BwC3ESc6acc2lTc", {}, {}});
    const auto statement = mint::taken_apart(proof.reveal());
    EXPECT_EQ(statement.payload, R"({"jti":"-BwC3ESc6acc2lTc","htm":"POST","htu":"https://server.example.com/token",)"
                                 R"("iat":1562262616})");
    EXPECT_EQ(statement.header, R"({"typ":"dpop+jwt","alg":"ES256","jwk":)" + key.public_jwk() + "}");
    EXPECT_TRUE(mint::verified_es256(key.to_pem().reveal(), statement.signed_text, statement.signature));
}

// RFC 9449 section 7.1.
TEST(DpopProof, NamesTheTokenByThePublishedHash)
{
    EXPECT_EQ(token_hash("Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"), "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo");
    const auto key = SigningKey::generate();
    const auto proof = dpop_proof(key, {"GET", "https://resource.example.org/protectedresource", 1562262618,
                                        "e1j3V_bKic8-LAEB", token_hash("a-token"), "a-nonce"});
    EXPECT_EQ(mint::taken_apart(proof.reveal()).payload,
              R"({"jti":"e1j3V_bKic8-LAEB","htm":"GET","htu":"https://resource.example.org/protectedresource",)"
              R"("iat":1562262618,"ath":")" +
                  token_hash("a-token") + R"(","nonce":"a-nonce"})");
}

TEST(DpopProof, LeavesQueryAndFragmentOutOfTheUrl)
{
    const auto key = SigningKey::generate();
    for (const std::string url : {"https://a.example.com/x?y=1", "https://a.example.com/x#z"}) {
        const auto proof = dpop_proof(key, {"GET", url, 1, "id", {}, {}});
        EXPECT_EQ(mint::taken_apart(proof.reveal()).payload,
                  R"({"jti":"id","htm":"GET","htu":"https://a.example.com/x","iat":1})");
    }
}

TEST(PublicJwk, HasTheMembersOfTheExamplesInTheirOrder)
{
    const auto jwk = SigningKey::generate().public_jwk();
    EXPECT_TRUE(jwk.starts_with(R"({"kty":"EC","x":")")) << jwk;
    EXPECT_TRUE(jwk.ends_with(R"(","crv":"P-256"})")) << jwk;
    // 43 characters for each coordinate of 32 bytes.
    EXPECT_EQ(jwk.size(), std::string_view(R"({"kty":"EC","x":"","y":"","crv":"P-256"})").size() + 86);
}

} // namespace
} // namespace aduana::broker
