// SPDX-License-Identifier: Apache-2.0
// The HMAC chain of version 4, and version 4A by its key pair.
#include "broker/sign/scope.hpp"

#include "broker/sign/digest.hpp"
#include "broker/sign/sigv4a.hpp"

#include <array>
#include <ctime>

namespace aduana::broker {
namespace {

constexpr std::size_t date_size = 8;
constexpr std::string_view terminator = "aws4_request";

} // namespace

std::string_view name_of(AwsAlgorithm algorithm) noexcept
{
    return algorithm == AwsAlgorithm::sigv4 ? "AWS4-HMAC-SHA256" : "AWS4-ECDSA-P256-SHA256";
}

std::string aws_time(std::chrono::system_clock::time_point now)
{
    const auto seconds = std::chrono::system_clock::to_time_t(now);
    std::tm fields{};
    gmtime_r(&seconds, &fields);
    std::array<char, sizeof("20150830T123600Z")> text{};
    const auto size = std::strftime(text.data(), text.size(), "%Y%m%dT%H%M%SZ", &fields);
    return {text.data(), size};
}

std::string credential_scope(const AwsScope& scope)
{
    auto text = scope.time.substr(0, date_size) + '/';
    if (scope.algorithm == AwsAlgorithm::sigv4)
        text.append(scope.region).append(1, '/');
    return text.append(scope.service).append(1, '/').append(terminator);
}

std::string string_to_sign(const AwsScope& scope, std::string_view canonical_request)
{
    std::string text(name_of(scope.algorithm));
    text.append(1, '\n').append(scope.time).append(1, '\n').append(credential_scope(scope));
    return text.append(1, '\n').append(sha256_hex(canonical_request));
}

Secret signing_key(const AwsScope& scope, std::string_view key_id, std::string_view secret)
{
    if (scope.algorithm == AwsAlgorithm::sigv4a)
        return sigv4a_private_key(key_id, secret);
    auto first = std::string("AWS4").append(secret);
    auto key = hmac_sha256(first, std::string_view(scope.time).substr(0, date_size));
    wipe(first);
    key = hmac_sha256(key.reveal(), scope.region);
    key = hmac_sha256(key.reveal(), scope.service);
    return hmac_sha256(key.reveal(), terminator);
}

std::string signature(const AwsScope& scope, const Secret& signing_key, std::string_view text)
{
    if (scope.algorithm == AwsAlgorithm::sigv4a)
        return to_hex(sigv4a_sign(signing_key, text));
    return to_hex(hmac_sha256(signing_key.reveal(), text).reveal());
}

} // namespace aduana::broker
