// SPDX-License-Identifier: Apache-2.0
// Deriving, signing and verifying with P-256 by libcrypto.
#include "broker/sign/sigv4a.hpp"

#include "broker/sign/digest.hpp"
#include "broker/sign/openssl.hpp"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

namespace aduana::broker {
namespace {

using Bignum = Owned<BIGNUM, BN_clear_free>;
using Group = Owned<EC_GROUP, EC_GROUP_free>;
using Point = Owned<EC_POINT, EC_POINT_free>;
using Pkey = Owned<EVP_PKEY, EVP_PKEY_free>;
using PkeyContext = Owned<EVP_PKEY_CTX, EVP_PKEY_CTX_free>;
using MdContext = Owned<EVP_MD_CTX, EVP_MD_CTX_free>;
using Builder = Owned<OSSL_PARAM_BLD, OSSL_PARAM_BLD_free>;
using Params = Owned<OSSL_PARAM, OSSL_PARAM_free>;

constexpr std::size_t scalar_size = 32;
constexpr int max_counter = 254;

const unsigned char* as_bytes(std::string_view text)
{
    return reinterpret_cast<const unsigned char*>(text.data());
}

Group p256()
{
    Group group(EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1));
    must(group != nullptr);
    return group;
}

Bignum scalar_of(std::string_view bytes)
{
    Bignum scalar(BN_secure_new());
    must(scalar && BN_bin2bn(as_bytes(bytes), static_cast<int>(bytes.size()), scalar.get()) != nullptr);
    return scalar;
}

/// What the key derivation hashes: a counter of its own (always 1), label, NUL, context, and the output's size in bits.
std::string derivation_input(std::string_view key_id, int counter)
{
    std::string input("\0\0\0\1", 4);
    input.append("AWS4-ECDSA-P256-SHA256").append(1, '\0').append(key_id).append(1, static_cast<char>(counter));
    return input.append(std::string_view("\0\0\1\0", 4));
}

Pkey key_from(OSSL_PARAM_BLD* builder, int selection)
{
    const Params params(OSSL_PARAM_BLD_to_param(builder));
    const PkeyContext context(EVP_PKEY_CTX_new_from_name(nullptr, "EC", nullptr));
    must(params && context && EVP_PKEY_fromdata_init(context.get()) == 1);
    EVP_PKEY* key = nullptr;
    EVP_PKEY_fromdata(context.get(), &key, selection, params.get());
    ERR_clear_error();
    return Pkey(key);
}

/// `point` must outlive the builder.
Builder builder_with(std::string_view point)
{
    Builder builder(OSSL_PARAM_BLD_new());
    must(builder && OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0) == 1 &&
         OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size()) == 1);
    return builder;
}

} // namespace

Secret sigv4a_private_key(std::string_view key_id, std::string_view secret)
{
    const Group group = p256();
    const Bignum limit(BN_dup(EC_GROUP_get0_order(group.get())));
    must(limit && BN_sub_word(limit.get(), 2) == 1);
    auto key = std::string("AWS4A").append(secret);
    for (int counter = 1; counter <= max_counter; ++counter) {
        const auto candidate = scalar_of(hmac_sha256(key, derivation_input(key_id, counter)).reveal());
        if (BN_cmp(candidate.get(), limit.get()) > 0)
            continue;
        std::string bytes(scalar_size, '\0');
        must(BN_add_word(candidate.get(), 1) == 1 &&
             BN_bn2binpad(candidate.get(), reinterpret_cast<unsigned char*>(bytes.data()), scalar_size) == scalar_size);
        auto scalar = Secret::copy_of(bytes);
        wipe(bytes);
        wipe(key);
        return scalar;
    }
    // 254 candidates beyond n - 2 have the probability 2^-8128.
    std::abort();
}

std::string sigv4a_public_key(const Secret& private_key)
{
    const Group group = p256();
    const auto scalar = scalar_of(private_key.reveal());
    const Point point(EC_POINT_new(group.get()));
    std::string bytes(1 + 2 * scalar_size, '\0');
    must(point && EC_POINT_mul(group.get(), point.get(), scalar.get(), nullptr, nullptr, nullptr) == 1 &&
         EC_POINT_point2oct(group.get(), point.get(), POINT_CONVERSION_UNCOMPRESSED,
                            reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(), nullptr) == bytes.size());
    return bytes;
}

std::string sigv4a_sign(const Secret& private_key, std::string_view text)
{
    const auto point = sigv4a_public_key(private_key);
    const auto builder = builder_with(point);
    const auto scalar = scalar_of(private_key.reveal());
    must(OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_PRIV_KEY, scalar.get()) == 1);
    const auto key = key_from(builder.get(), EVP_PKEY_KEYPAIR);
    const MdContext context(EVP_MD_CTX_new());
    must(key && context && EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key.get()) == 1);
    std::size_t size = 0;
    must(EVP_DigestSign(context.get(), nullptr, &size, as_bytes(text), text.size()) == 1);
    std::string der(size, '\0');
    must(EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(der.data()), &size, as_bytes(text),
                        text.size()) == 1);
    der.resize(size);
    return der;
}

bool sigv4a_verify(std::string_view public_key, std::string_view text, std::string_view signature)
{
    const auto key = key_from(builder_with(public_key).get(), EVP_PKEY_PUBLIC_KEY);
    const MdContext context(EVP_MD_CTX_new());
    if (!key)
        return false;
    must(context && EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, key.get()) == 1);
    const int outcome =
        EVP_DigestVerify(context.get(), as_bytes(signature), signature.size(), as_bytes(text), text.size());
    ERR_clear_error();
    return outcome == 1;
}

} // namespace aduana::broker
