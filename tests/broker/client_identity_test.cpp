// SPDX-License-Identifier: Apache-2.0
// Certificates with their keys, and what is no such thing. The keys were made for this test and open nothing.
#include "broker/core/client_identity.hpp"

#include <gtest/gtest.h>

namespace aduana::broker {
namespace {

constexpr std::string_view certificate = R"(-----BEGIN CERTIFICATE-----
MIIBeTCCAR+gAwIBAgIUZVzU1SIXISv9t9zXsym1BALjUVQwCgYIKoZIzj0EAwIw
ETEPMA0GA1UEAwwGY2xpZW50MCAXDTI2MTEyOTIzMzEzNVoYDzIxMjYxMTA1MjMz
MTM1WjARMQ8wDQYDVQQDDAZjbGllbnQwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC
AARqU8ofSqzTb8vXWo4M6gC6O/khIS7pPI03dgSqukDu8GVuqKAsVMRfQEUJX2Kz
V35aWETesJmfTQUtMjHWGxV5o1MwUTAdBgNVHQ4EFgQUjmMcf4vHTlrtzmMkkvoA
iErS02UwHwYDVR0jBBgwFoAUjmMcf4vHTlrtzmMkkvoAiErS02UwDwYDVR0TAQH/
BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiAk9diLSD6eJMBlt3p+DMrz1iADeNbW
7zjJ8j+8PR5WGgIhAKexlKrCkCR/zJly71z3l6PQ1KiVdyXwLljCNl0Wdpb2
-----END CERTIFICATE-----
)";
constexpr std::string_view key = R"(-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgg5de0YejMowL/z8y
Ln8JWeRjvXqvGzQ94Ssnq/HKEoGhRANCAARqU8ofSqzTb8vXWo4M6gC6O/khIS7p
PI03dgSqukDu8GVuqKAsVMRfQEUJX2KzV35aWETesJmfTQUtMjHWGxV5
-----END PRIVATE KEY-----
)";
constexpr std::string_view another_key = R"(-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgMT6DQ6/yLKKcQ4q8
fzg9atDXLjM9zJxA6td2k2GgASehRANCAATlL5iUKsYya/NlED5dQVAOgnewAQfU
1JFeYc4oZWVU1KQQOmhUlJEf2As1D1cXSaaT4HWnO/BCPca9mOXnIQls
-----END PRIVATE KEY-----
)";

std::string error_of(const std::string& pem)
{
    const auto checked = check_identity("client", Secret::copy_of(pem));
    return checked ? "good" : checked.error().message;
}

std::string both(std::string_view first, std::string_view second)
{
    return std::string(first).append(second);
}

TEST(ClientIdentity, IsACertificateAndItsKeyInAnyOrder)
{
    EXPECT_EQ(error_of(both(certificate, key)), "good");
    EXPECT_EQ(error_of(both(key, certificate)), "good");
    EXPECT_EQ(error_of("a remark\n" + both(certificate, key)), "good");
}

TEST(ClientIdentity, IsNotHalfOfIt)
{
    const std::string subject = "credential 'client': its value ";
    EXPECT_EQ(error_of(""), subject + "holds no certificate in PEM");
    EXPECT_EQ(error_of(std::string(key)), subject + "holds no certificate in PEM");
    EXPECT_EQ(error_of(std::string(certificate)), subject + "holds no private key that can be read");
    EXPECT_EQ(error_of(both(certificate, another_key)), subject + "holds a key that is not the certificate's");
    EXPECT_EQ(error_of(both(certificate, key) + std::string(33000, 'x')), subject + "is longer than 32 KiB");
}

} // namespace
} // namespace aduana::broker
