// SPDX-License-Identifier: Apache-2.0
// Ed25519 (RFC 8032) keys that sign journals and task records.
#include "certs/signing_key.hpp"

#include "certs/digest.hpp"
#include "certs/openssl_check.hpp"
#include "certs/pem.hpp"

#include <openssl/pem.h>

#include <utility>

namespace aduana::certs {
namespace {

using MdContextPtr = std::unique_ptr<EVP_MD_CTX, Freer<EVP_MD_CTX_free>>;

constexpr std::size_t seed_size = 32;

const unsigned char* as_bytes(std::string_view text)
{
    return reinterpret_cast<const unsigned char*>(text.data());
}

PkeyPtr private_key_of(std::string_view seed)
{
    PkeyPtr key(EVP_PKEY_new_raw_private_key_ex(nullptr, "ED25519", nullptr, as_bytes(seed), seed.size()));
    must(key != nullptr, "load an Ed25519 key");
    return key;
}

PublicKeyBytes public_bytes(const EVP_PKEY* key)
{
    PublicKeyBytes bytes{};
    std::size_t size = bytes.size();
    must(EVP_PKEY_get_raw_public_key(key, bytes.data(), &size) == 1 && size == bytes.size(), "read a public key");
    return bytes;
}

PkeyPtr public_key_of(const PublicKeyBytes& bytes)
{
    PkeyPtr key(EVP_PKEY_new_raw_public_key_ex(nullptr, "ED25519", nullptr, bytes.data(), bytes.size()));
    must(key != nullptr, "load an Ed25519 public key");
    return key;
}

} // namespace

Result<VerifyingKey> VerifyingKey::from_pem(std::string_view pem)
{
    const BioPtr bio = reader_of(pem);
    const PkeyPtr key(PEM_read_bio_PUBKEY(bio.get(), nullptr, no_password, nullptr));
    ERR_clear_error();
    if (!key || EVP_PKEY_is_a(key.get(), "ED25519") != 1)
        return Error{"the public key is not an Ed25519 key in PEM",
                     "give the file that begins with -----BEGIN PUBLIC KEY----- and was made with the installation"};
    return VerifyingKey(public_bytes(key.get()));
}

std::string VerifyingKey::to_pem() const
{
    const PkeyPtr key = public_key_of(bytes_);
    const BioPtr bio(BIO_new(BIO_s_mem()));
    must(bio && PEM_write_bio_PUBKEY(bio.get(), key.get()) == 1, "write a public key");
    return std::string(contents(bio.get()));
}

bool VerifyingKey::verify(std::string_view message, std::string_view signature) const
{
    if (signature.size() != Signature{}.size())
        return false;
    const PkeyPtr key = public_key_of(bytes_);
    const MdContextPtr context(EVP_MD_CTX_new());
    must(context && EVP_DigestVerifyInit_ex(context.get(), nullptr, nullptr, nullptr, nullptr, key.get(), nullptr) == 1,
         "start a verification");
    const int outcome =
        EVP_DigestVerify(context.get(), as_bytes(signature), signature.size(), as_bytes(message), message.size());
    ERR_clear_error();
    return outcome == 1;
}

std::string VerifyingKey::key_id() const
{
    return to_hex(sha256(view_of(bytes_)));
}

SigningKey::SigningKey(Secret seed, PkeyPtr key)
    : seed_(std::move(seed)), key_(std::move(key)), public_(public_bytes(key_.get()))
{
}

SigningKey SigningKey::generate()
{
    std::string seed = random_bytes(seed_size);
    Secret secret = Secret::copy_of(seed);
    wipe(seed);
    PkeyPtr key = private_key_of(secret.reveal());
    return {std::move(secret), std::move(key)};
}

Result<SigningKey> SigningKey::from_seed(std::string_view seed)
{
    if (seed.size() != seed_size)
        return Error{"the seed of an Ed25519 key has " + std::to_string(seed.size()) + " bytes instead of 32"};
    return SigningKey(Secret::copy_of(seed), private_key_of(seed));
}

Result<SigningKey> SigningKey::from_pem(std::string_view pem)
{
    const BioPtr bio = reader_of(pem);
    const PkeyPtr key(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_password, nullptr));
    ERR_clear_error();
    if (!key || EVP_PKEY_is_a(key.get(), "ED25519") != 1)
        return Error{"the signing key is not an unencrypted Ed25519 key in PEM",
                     "make one with: openssl genpkey -algorithm ed25519"};
    std::array<unsigned char, seed_size> seed{};
    std::size_t size = seed.size();
    must(EVP_PKEY_get_raw_private_key(key.get(), seed.data(), &size) == 1 && size == seed.size(), "read a key");
    auto loaded = from_seed(view_of(seed));
    wipe(seed);
    return loaded;
}

Secret SigningKey::to_pem() const
{
    // Freeing a memory BIO of this kind wipes it.
    const BioPtr bio(BIO_new(BIO_s_secmem()));
    must(bio && PEM_write_bio_PKCS8PrivateKey(bio.get(), key_.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1,
         "write a private key");
    return Secret::copy_of(contents(bio.get()));
}

Signature SigningKey::sign(std::string_view message) const
{
    Signature signature{};
    std::size_t size = signature.size();
    const MdContextPtr context(EVP_MD_CTX_new());
    must(context &&
             EVP_DigestSignInit_ex(context.get(), nullptr, nullptr, nullptr, nullptr, key_.get(), nullptr) == 1 &&
             EVP_DigestSign(context.get(), signature.data(), &size, as_bytes(message), message.size()) == 1 &&
             size == signature.size(),
         "sign");
    return signature;
}

} // namespace aduana::certs
