// SPDX-License-Identifier: Apache-2.0
// JSON Web Signatures in compact form (RFC 7515): HEADER.PAYLOAD.SIGNATURE, each in base64url.
#pragma once

#include "broker/mint/secret_writer.hpp"
#include "policy/base/result.hpp"
#include "policy/credential_source.hpp"

#include <openssl/evp.h>

#include <memory>

namespace aduana::broker {

/// A key that signs by one algorithm. The nonces of ES256 come from libcrypto's own generator; nothing else does.
class SigningKey {
public:
    /// `key`: PEM (PKCS#8, or the older forms of OpenSSL) for all but HS256, whose key is the bytes themselves, without
    /// one line end behind. Refused, with the reason and never with a byte of the key: what is no unencrypted private
    /// key, one of another kind (ES256: P-256), RSA under 2048 bits, an HS256 key under 32 bytes (RFC 7518).
    [[nodiscard]] static Result<SigningKey> read(policy::SignatureAlgorithm algorithm, std::string_view key);
    /// A new P-256 key.
    [[nodiscard]] static SigningKey generate();

    [[nodiscard]] policy::SignatureAlgorithm algorithm() const noexcept { return algorithm_; }
    /// Raw, as JWS has it: for ES256 r and s behind each other, 32 bytes each.
    [[nodiscard]] std::string sign(std::string_view message) const;
    /// The public half of a P-256 key as a JWK (RFC 7517).
    [[nodiscard]] std::string public_jwk() const;
    /// PKCS#8. Not for HS256.
    [[nodiscard]] Secret to_pem() const;

private:
    struct Free {
        void operator()(EVP_PKEY* key) const noexcept { EVP_PKEY_free(key); }
    };
    using Handle = std::unique_ptr<EVP_PKEY, Free>;

    SigningKey(policy::SignatureAlgorithm algorithm, Handle key) : algorithm_(algorithm), key_(std::move(key)) {}
    static Result<Handle> read_pem(policy::SignatureAlgorithm algorithm, std::string_view pem);

    policy::SignatureAlgorithm algorithm_;
    Handle key_;
};

/// "HS256", "RS256", "ES256", "EdDSA".
[[nodiscard]] std::string_view name_of(policy::SignatureAlgorithm algorithm) noexcept;

/// `header` and `payload` are JSON objects.
[[nodiscard]] Secret sign_compact(const SigningKey& key, std::string_view header, std::string_view payload);

} // namespace aduana::broker
