// SPDX-License-Identifier: Apache-2.0
// Taking signed statements apart, and verifying them by OpenSSL directly.
#pragma once

#include "broker/mint/jws.hpp"

#include <openssl/bio.h>
#include <openssl/ecdsa.h>
#include <openssl/pem.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace aduana::broker::mint {

/// Nothing where a character is none of base64url.
inline std::string decoded_base64url(std::string_view text)
{
    constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    std::string bytes;
    std::uint32_t bits = 0;
    unsigned held = 0;
    for (const char c : text) {
        const auto digit = alphabet.find(c);
        if (digit == alphabet.npos)
            return {};
        bits = bits << 6 | static_cast<std::uint32_t>(digit);
        held += 6;
        if (held < 8)
            continue;
        held -= 8;
        bytes += static_cast<char>(bits >> held & 0xff);
    }
    return bytes;
}

struct Statement {
    std::string header;
    std::string payload;
    std::string signature;
    std::string signed_text; ///< what the signature is of
};
inline Statement taken_apart(std::string_view token)
{
    const auto first = token.find('.');
    const auto second = token.find('.', first + 1);
    if (first == token.npos || second == token.npos)
        return {};
    return {decoded_base64url(token.substr(0, first)), decoded_base64url(token.substr(first + 1, second - first - 1)),
            decoded_base64url(token.substr(second + 1)), std::string(token.substr(0, second))};
}

/// Whether `raw`, r and s, is a signature of `text` by the P-256 key in `pem`.
inline bool verified_es256(std::string_view pem, const std::string& text, const std::string& raw)
{
    const auto* bytes = reinterpret_cast<const unsigned char*>(raw.data());
    if (raw.size() != 64)
        return false;
    const std::unique_ptr<ECDSA_SIG, decltype(&ECDSA_SIG_free)> signature(ECDSA_SIG_new(), ECDSA_SIG_free);
    ECDSA_SIG_set0(signature.get(), BN_bin2bn(bytes, 32, nullptr), BN_bin2bn(bytes + 32, 32, nullptr));
    std::array<unsigned char, 80> der{};
    auto* end = der.data();
    const int size = i2d_ECDSA_SIG(signature.get(), &end);

    const std::unique_ptr<BIO, decltype(&BIO_free_all)> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())),
                                                            BIO_free_all);
    const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(
        PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr), EVP_PKEY_free);
    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
    return EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, key.get()) == 1 &&
           EVP_DigestVerify(context.get(), der.data(), static_cast<std::size_t>(size),
                            reinterpret_cast<const unsigned char*>(text.data()), text.size()) == 1;
}

} // namespace aduana::broker::mint
