// SPDX-License-Identifier: Apache-2.0
// The proof of RFC 9449 section 4.2.
#include "broker/mint/dpop.hpp"

#include "broker/mint/json.hpp"

#include <array>

namespace aduana::broker {
namespace {

void put_member(SecretWriter& out, std::string_view name, std::string_view value)
{
    if (value.empty())
        return;
    out.put(",\"").put(name).put("\":");
    put_json_text(out, value);
}

} // namespace

Secret dpop_proof(const SigningKey& key, const DpopClaims& claims)
{
    const auto header = R"({"typ":"dpop+jwt","alg":"ES256","jwk":)" + key.public_jwk() + "}";
    SecretWriter payload;
    payload.put(R"({"jti":)");
    put_json_text(payload, claims.jti);
    put_member(payload, "htm", claims.htm);
    put_member(payload, "htu", std::string_view(claims.htu).substr(0, claims.htu.find_first_of("?#")));
    payload.put(R"(,"iat":)").put(std::to_string(claims.iat));
    put_member(payload, "ath", claims.ath);
    put_member(payload, "nonce", claims.nonce);
    payload.put("}");
    return sign_compact(key, header, payload.view());
}

std::string token_hash(std::string_view token)
{
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    EVP_Digest(token.data(), token.size(), digest.data(), &size, EVP_sha256(), nullptr);
    SecretWriter text;
    text.put_base64url({reinterpret_cast<const char*>(digest.data()), size});
    return std::string(text.view());
}

} // namespace aduana::broker
