// SPDX-License-Identifier: Apache-2.0
// SHA-256 and HMAC by libcrypto.
#include "broker/sign/digest.hpp"

#include "broker/sign/openssl.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>

namespace aduana::broker {
namespace {

using Digest = std::array<unsigned char, 32>;

std::string_view view_of(const Digest& digest)
{
    return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

EVP_MD_CTX* md_context(void* context)
{
    return static_cast<EVP_MD_CTX*>(context);
}

} // namespace

std::string to_hex(std::string_view bytes)
{
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    text.reserve(bytes.size() * 2);
    for (const char byte : bytes) {
        const auto value = static_cast<std::uint8_t>(byte);
        text += digits[value >> 4];
        text += digits[value & 15];
    }
    return text;
}

std::string sha256_hex(std::string_view bytes)
{
    RunningSha256 hash;
    hash.add(bytes);
    return hash.finish();
}

Secret hmac_sha256(std::string_view key, std::string_view message)
{
    Digest digest{};
    unsigned size = 0;
    must(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
              reinterpret_cast<const unsigned char*>(message.data()), message.size(), digest.data(), &size) != nullptr);
    auto secret = Secret::copy_of(view_of(digest));
    wipe(digest);
    return secret;
}

void RunningSha256::Free::operator()(void* context) const noexcept
{
    EVP_MD_CTX_free(md_context(context));
}

RunningSha256::RunningSha256() : context_(EVP_MD_CTX_new())
{
    must(context_ != nullptr);
    start();
}

void RunningSha256::start()
{
    must(EVP_DigestInit_ex(md_context(context_.get()), EVP_sha256(), nullptr) == 1);
}

void RunningSha256::add(std::string_view bytes)
{
    must(EVP_DigestUpdate(md_context(context_.get()), bytes.data(), bytes.size()) == 1);
}

std::string RunningSha256::finish()
{
    Digest digest{};
    must(EVP_DigestFinal_ex(md_context(context_.get()), digest.data(), nullptr) == 1);
    start();
    return to_hex(view_of(digest));
}

} // namespace aduana::broker
