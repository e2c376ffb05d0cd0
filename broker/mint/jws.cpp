// SPDX-License-Identifier: Apache-2.0
// Signatures by OpenSSL's EVP, in the forms of RFC 7518 section 3 and RFC 8037 section 3.1.
#include "broker/mint/jws.hpp"

#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#include <array>
#include <cstdio>
#include <cstdlib>

namespace aduana::broker {
namespace {

using policy::SignatureAlgorithm;

template <auto free_function>
struct Freer {
    template <class T>
    void operator()(T* object) const noexcept
    {
        free_function(object);
    }
};
using BioPtr = std::unique_ptr<BIO, Freer<BIO_free_all>>;
using DigestPtr = std::unique_ptr<EVP_MD_CTX, Freer<EVP_MD_CTX_free>>;
using EcdsaPtr = std::unique_ptr<ECDSA_SIG, Freer<ECDSA_SIG_free>>;

constexpr int min_rsa_bits = 2048;
constexpr std::size_t min_hmac_key = 32;
constexpr int coordinate_size = 32;

// No input leads here: without memory or randomness nothing may go on half-protected.
void must(bool succeeded, const char* what)
{
    if (succeeded)
        return;
    std::fprintf(stderr, "aduana-broker: libcrypto could not %s\n", what);
    std::abort();
}

// OpenSSL would ask for the password on the terminal.
int no_password(char*, int, int, void*)
{
    return 0;
}

const unsigned char* bytes_of(std::string_view text)
{
    return reinterpret_cast<const unsigned char*>(text.data());
}

// JWS wants r and s with leading zeros (RFC 7518 section 3.4), OpenSSL gives DER.
std::string raw_of(const std::string& der)
{
    const unsigned char* at = bytes_of(der);
    const EcdsaPtr signature(d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size())));
    must(signature != nullptr, "read its own signature");
    std::string raw(2 * coordinate_size, '\0');
    auto* out = reinterpret_cast<unsigned char*>(raw.data());
    must(BN_bn2binpad(ECDSA_SIG_get0_r(signature.get()), out, coordinate_size) == coordinate_size &&
             BN_bn2binpad(ECDSA_SIG_get0_s(signature.get()), out + coordinate_size, coordinate_size) == coordinate_size,
         "write a signature");
    return raw;
}

std::string coordinate(const EVP_PKEY* key, const char* name)
{
    BIGNUM* number = nullptr;
    must(EVP_PKEY_get_bn_param(key, name, &number) == 1, "read a public key");
    std::string bytes(coordinate_size, '\0');
    const int size = BN_bn2binpad(number, reinterpret_cast<unsigned char*>(bytes.data()), coordinate_size);
    BN_free(number);
    must(size == coordinate_size, "write a public key");
    return bytes;
}

bool is_p256(const EVP_PKEY* key)
{
    std::array<char, 80> group{};
    std::size_t size = 0;
    return EVP_PKEY_is_a(key, "EC") == 1 && EVP_PKEY_get_group_name(key, group.data(), group.size(), &size) == 1 &&
           OBJ_sn2nid(group.data()) == NID_X9_62_prime256v1;
}

bool fits(const EVP_PKEY* key, SignatureAlgorithm algorithm)
{
    switch (algorithm) {
    case SignatureAlgorithm::rs256:
        return EVP_PKEY_is_a(key, "RSA") == 1 && EVP_PKEY_get_bits(key) >= min_rsa_bits;
    case SignatureAlgorithm::es256:
        return is_p256(key);
    case SignatureAlgorithm::eddsa:
        return EVP_PKEY_is_a(key, "ED25519") == 1;
    case SignatureAlgorithm::hs256:
        return false;
    }
    return false;
}

std::string_view wanted_key(SignatureAlgorithm algorithm)
{
    switch (algorithm) {
    case SignatureAlgorithm::rs256:
        return "an RSA key of at least 2048 bits";
    case SignatureAlgorithm::es256:
        return "a key of the curve P-256";
    case SignatureAlgorithm::eddsa:
        return "an Ed25519 key";
    case SignatureAlgorithm::hs256:
        return "a key of at least 32 bytes";
    }
    return "a key";
}

} // namespace

std::string_view name_of(SignatureAlgorithm algorithm) noexcept
{
    constexpr std::array<std::string_view, 4> names{"HS256", "RS256", "ES256", "EdDSA"};
    return names.at(static_cast<std::size_t>(algorithm));
}

Result<SigningKey::Handle> SigningKey::read_pem(SignatureAlgorithm algorithm, std::string_view pem)
{
    const BioPtr bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
    Handle key(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_password, nullptr));
    ERR_clear_error();
    if (!key)
        return Error{"it holds no unencrypted private key in PEM form",
                     "the file begins with -----BEGIN PRIVATE KEY-----, and its key has no password"};
    if (!fits(key.get(), algorithm))
        return Error{"its key does not fit " + std::string(name_of(algorithm)),
                     "give " + std::string(wanted_key(algorithm)) + ", or correct `algorithm`"};
    return key;
}

Result<SigningKey> SigningKey::read(SignatureAlgorithm algorithm, std::string_view key)
{
    if (algorithm != SignatureAlgorithm::hs256) {
        auto handle = read_pem(algorithm, key);
        if (!handle)
            return handle.error();
        return SigningKey(algorithm, std::move(*handle));
    }
    const auto bytes = without_line_end(key);
    if (bytes.size() < min_hmac_key)
        return Error{"its key is shorter than 32 bytes, which HS256 needs", "make a longer one"};
    Handle handle(EVP_PKEY_new_raw_private_key(EVP_PKEY_HMAC, nullptr, bytes_of(bytes), bytes.size()));
    must(handle != nullptr, "take a key for HMAC");
    return SigningKey(algorithm, std::move(handle));
}

SigningKey SigningKey::generate()
{
    Handle key(EVP_EC_gen("P-256"));
    must(key != nullptr, "make a key");
    return {SignatureAlgorithm::es256, std::move(key)};
}

std::string SigningKey::sign(std::string_view message) const
{
    const DigestPtr context(EVP_MD_CTX_new());
    const EVP_MD* digest = algorithm_ == SignatureAlgorithm::eddsa ? nullptr : EVP_sha256();
    std::size_t size = 0;
    must(context && EVP_DigestSignInit(context.get(), nullptr, digest, nullptr, key_.get()) == 1 &&
             EVP_DigestSign(context.get(), nullptr, &size, bytes_of(message), message.size()) == 1,
         "begin a signature");
    std::string signature(size, '\0');
    must(EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size, bytes_of(message),
                        message.size()) == 1,
         "sign");
    signature.resize(size);
    return algorithm_ == SignatureAlgorithm::es256 ? raw_of(signature) : signature;
}

std::string SigningKey::public_jwk() const
{
    SecretWriter jwk;
    jwk.put(R"({"kty":"EC","x":")").put_base64url(coordinate(key_.get(), OSSL_PKEY_PARAM_EC_PUB_X));
    jwk.put(R"(","y":")").put_base64url(coordinate(key_.get(), OSSL_PKEY_PARAM_EC_PUB_Y)).put(R"(","crv":"P-256"})");
    return std::string(jwk.view());
}

Secret SigningKey::to_pem() const
{
    const BioPtr bio(BIO_new(BIO_s_secmem()));
    must(bio && PEM_write_bio_PrivateKey(bio.get(), key_.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1,
         "write a key");
    char* data = nullptr;
    const long size = BIO_get_mem_data(bio.get(), &data);
    return Secret::copy_of({data, static_cast<std::size_t>(size)});
}

Secret sign_compact(const SigningKey& key, std::string_view header, std::string_view payload)
{
    SecretWriter token;
    token.put_base64url(header).put(".").put_base64url(payload);
    const auto signature = key.sign(token.view());
    token.put(".").put_base64url(signature);
    return token.take();
}

} // namespace aduana::broker
