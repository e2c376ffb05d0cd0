// SPDX-License-Identifier: Apache-2.0
// Digests, hexadecimal and base64 as plain functions.
#include "certs/digest.hpp"

#include "certs/openssl_check.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>

namespace aduana::certs {
namespace {

const unsigned char* as_bytes(std::string_view text)
{
    return reinterpret_cast<const unsigned char*>(text.data());
}

unsigned char* as_bytes(std::string& text)
{
    return reinterpret_cast<unsigned char*>(text.data());
}

std::optional<unsigned> nibble(char digit)
{
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    if (digit >= 'a' && digit <= 'f')
        return digit - 'a' + 10U;
    if (digit >= 'A' && digit <= 'F')
        return digit - 'A' + 10U;
    return std::nullopt;
}

/// Fetched once: OpenSSL 3 looks an algorithm up by name at every implicit use, which costs more than a short digest.
const EVP_MD* sha256_algorithm()
{
    static const EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
    must(algorithm != nullptr, "find SHA-256");
    return algorithm;
}

} // namespace

Sha256 sha256(std::string_view bytes)
{
    Sha256 digest{};
    unsigned size = 0;
    must(EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, sha256_algorithm(), nullptr) == 1 &&
             size == digest.size(),
         "compute SHA-256");
    return digest;
}

std::string sha1(std::string_view bytes)
{
    std::string digest(20, '\0');
    must(EVP_Digest(bytes.data(), bytes.size(), as_bytes(digest), nullptr, EVP_sha1(), nullptr) == 1, "compute SHA-1");
    return digest;
}

std::string to_hex(std::string_view bytes)
{
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    text.reserve(bytes.size() * 2);
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        text += digits[byte >> 4];
        text += digits[byte & 15];
    }
    return text;
}

std::string to_hex(const Sha256& digest)
{
    return to_hex(std::string_view(reinterpret_cast<const char*>(digest.data()), digest.size()));
}

std::optional<std::string> from_hex(std::string_view text)
{
    if (text.size() % 2 != 0)
        return std::nullopt;
    std::string bytes;
    bytes.reserve(text.size() / 2);
    for (std::size_t i = 0; i < text.size(); i += 2) {
        const auto high = nibble(text[i]);
        const auto low = nibble(text[i + 1]);
        if (!high || !low)
            return std::nullopt;
        bytes += static_cast<char>(*high << 4 | *low);
    }
    return bytes;
}

std::string to_base64(std::string_view bytes)
{
    // EVP_EncodeBlock ends its output with a NUL, which a std::string has room for.
    std::string text((bytes.size() + 2) / 3 * 4, '\0');
    EVP_EncodeBlock(as_bytes(text), as_bytes(bytes), static_cast<int>(bytes.size()));
    return text;
}

std::optional<std::string> from_base64(std::string_view text)
{
    if (text.size() % 4 != 0)
        return std::nullopt;
    std::string bytes(text.size() / 4 * 3, '\0');
    if (EVP_DecodeBlock(as_bytes(bytes), as_bytes(text), static_cast<int>(text.size())) < 0)
        return std::nullopt;
    const auto tail = text.substr(text.size() - std::min<std::size_t>(text.size(), 2));
    const auto padding = static_cast<std::size_t>(std::count(tail.begin(), tail.end(), '='));
    bytes.resize(bytes.size() - padding);
    // EVP_DecodeBlock skips blanks and ignores unused bits: only the spelling that encoding gives back is accepted.
    if (to_base64(bytes) != text)
        return std::nullopt;
    return bytes;
}

std::string to_base64url(std::string_view bytes)
{
    auto text = to_base64(bytes);
    std::ranges::replace(text, '+', '-');
    std::ranges::replace(text, '/', '_');
    text.resize(text.find_last_not_of('=') + 1);
    return text;
}

bool same_secret(std::string_view left, std::string_view right)
{
    return left.size() == right.size() && CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0;
}

std::string random_bytes(std::size_t size)
{
    std::string bytes(size, '\0');
    must(RAND_bytes(as_bytes(bytes), static_cast<int>(size)) == 1, "draw random bytes");
    return bytes;
}

} // namespace aduana::certs
