// SPDX-License-Identifier: Apache-2.0
// A Java key store of trusted certificates. All numbers are big-endian; a string is a u16 length and modified UTF-8.
//
//   magic FEEDFEED | version 2 | count | entries | SHA-1(password in UTF-16BE, "Mighty Aphrodite", all before)
//   entry: tag 2 | alias | ms since the epoch (u64) | "X.509" | u32 length | DER
//
// JKS and not PKCS#12: a store with a password that Java cannot read is silently empty there, while JKS needs no
// password for reading certificates.
#include "certs/trust.hpp"

#include "certs/openssl_check.hpp"
#include "certs/utf8.hpp"

#include <openssl/evp.h>

#include <array>
#include <cstdint>

namespace aduana::certs {
namespace {

constexpr std::uint32_t magic = 0xFEEDFEED;
constexpr std::uint32_t version = 2;
constexpr std::uint32_t trusted_certificate = 2;

template <class Unsigned>
void put(std::string& out, Unsigned value)
{
    for (int shift = 8 * (sizeof(Unsigned) - 1); shift >= 0; shift -= 8)
        out += static_cast<char>(value >> shift & 0xFF);
}

std::u16string to_utf16(std::string_view text)
{
    std::u16string units;
    while (!text.empty()) {
        const auto [point, size, valid] = first_code_point(text);
        text.remove_prefix(size);
        if (point < 0x10000) {
            units += static_cast<char16_t>(point);
            continue;
        }
        units += static_cast<char16_t>(0xD800 + ((point - 0x10000) >> 10));
        units += static_cast<char16_t>(0xDC00 + ((point - 0x10000) & 0x3FF));
    }
    return units;
}

/// Modified UTF-8 (java.io.DataInput) encodes each UTF-16 unit by itself, and NUL in two bytes.
void put_string(std::string& out, std::string_view text)
{
    std::string encoded;
    for (const char16_t unit : to_utf16(text)) {
        if (unit != 0 && unit < 0x80) {
            encoded += static_cast<char>(unit);
            continue;
        }
        if (unit < 0x800)
            encoded += static_cast<char>(0xC0 | unit >> 6);
        else {
            encoded += static_cast<char>(0xE0 | unit >> 12);
            encoded += static_cast<char>(0x80 | (unit >> 6 & 0x3F));
        }
        encoded += static_cast<char>(0x80 | (unit & 0x3F));
    }
    put(out, static_cast<std::uint16_t>(encoded.size()));
    out += encoded;
}

std::string keyed_digest(std::string_view password, std::string_view store)
{
    std::string input;
    for (const char16_t unit : to_utf16(password))
        put(input, static_cast<std::uint16_t>(unit));
    input += "Mighty Aphrodite";
    input += store;
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    must(EVP_Digest(input.data(), input.size(), digest.data(), &size, EVP_sha1(), nullptr) == 1, "compute SHA-1");
    return {reinterpret_cast<const char*>(digest.data()), size};
}

} // namespace

std::string to_jks(const std::vector<JksEntry>& entries, std::string_view password, long long now_ms)
{
    std::string store;
    put(store, magic);
    put(store, version);
    put(store, static_cast<std::uint32_t>(entries.size()));
    for (const JksEntry& entry : entries) {
        put(store, trusted_certificate);
        put_string(store, entry.alias);
        put(store, static_cast<std::uint64_t>(now_ms));
        put_string(store, "X.509");
        put(store, static_cast<std::uint32_t>(entry.der.size()));
        store += entry.der;
    }
    return store + keyed_digest(password, store);
}

} // namespace aduana::certs
