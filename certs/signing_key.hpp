// SPDX-License-Identifier: Apache-2.0
// Ed25519 (RFC 8032) keys that sign journals and task records.
#pragma once

#include "certs/openssl_handle.hpp"
#include "policy/base/result.hpp"
#include "policy/base/secret.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace aduana::certs {

using PublicKeyBytes = std::array<std::uint8_t, 32>;
using Signature = std::array<std::uint8_t, 64>;

/// The bytes of a key or a signature, for to_base64() and verify(). Borrowed from `bytes`.
template <std::size_t size>
[[nodiscard]] std::string_view view_of(const std::array<std::uint8_t, size>& bytes) noexcept
{
    return {reinterpret_cast<const char*>(bytes.data()), size};
}

/// The public half: all that a verifier needs.
class VerifyingKey {
public:
    explicit VerifyingKey(const PublicKeyBytes& bytes) : bytes_(bytes) {}
    /// SubjectPublicKeyInfo in PEM (RFC 8410), as written by `to_pem`.
    [[nodiscard]] static Result<VerifyingKey> from_pem(std::string_view pem);
    [[nodiscard]] std::string to_pem() const;
    [[nodiscard]] const PublicKeyBytes& bytes() const noexcept { return bytes_; }
    [[nodiscard]] bool verify(std::string_view message, std::string_view signature) const;
    /// SHA-256 of the 32 bytes, hexadecimal: the `keyid` of DSSE envelopes and journal heads.
    [[nodiscard]] std::string key_id() const;

private:
    PublicKeyBytes bytes_;
};

/// A key pair; the seed lives in a Secret.
class SigningKey {
public:
    [[nodiscard]] static SigningKey generate();
    /// 32 bytes.
    [[nodiscard]] static Result<SigningKey> from_seed(std::string_view seed);
    /// PKCS#8 in PEM, unencrypted.
    [[nodiscard]] static Result<SigningKey> from_pem(std::string_view pem);
    [[nodiscard]] Secret to_pem() const;
    [[nodiscard]] const Secret& seed() const noexcept { return seed_; }
    [[nodiscard]] VerifyingKey verifying_key() const { return VerifyingKey(public_); }
    [[nodiscard]] Signature sign(std::string_view message) const;

private:
    SigningKey(Secret seed, PkeyPtr key);
    Secret seed_;
    PkeyPtr key_; ///< kept: deriving it from the seed costs as much as a signature
    PublicKeyBytes public_;
};

} // namespace aduana::certs
