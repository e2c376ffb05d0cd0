// SPDX-License-Identifier: Apache-2.0
// The parts of an X.509 v3 certificate (RFC 5280) as typed calls: no text is parsed into an extension, so no name of a
// sandbox can spell one.
#pragma once

#include "certs/openssl_handle.hpp"
#include "policy/host.hpp"

#include <chrono>
#include <string>
#include <string_view>

namespace aduana::certs {

enum class Critical : std::uint8_t { no, yes };

[[nodiscard]] PkeyPtr new_p256_key();
/// Version 3, public key set, nothing else.
[[nodiscard]] X509Ptr new_certificate(EVP_PKEY* public_key);
/// 127 random bits, the highest one set: positive and of one length (RFC 5280 section 4.1.2.2).
void set_random_serial(X509* certificate);
void set_validity(X509* certificate, std::chrono::system_clock::time_point from,
                  std::chrono::system_clock::time_point until);
/// Appends to `name`; `value` is at most 64 bytes of UTF-8.
void add_name_part(X509_NAME* name, const char* type, std::string_view value);

void add_ca_constraints(X509* certificate);
void add_leaf_constraints(X509* certificate);
/// Leftmost 160 bits of the SHA-256 of the public key (RFC 7093 section 2, method 1).
[[nodiscard]] std::string key_identifier(const X509* certificate);
void add_subject_key_identifier(X509* certificate, std::string_view identifier);
void add_authority_key_identifier(X509* certificate, std::string_view identifier);
void add_subject_alternative_name(X509* certificate, const policy::Host& host, Critical critical);
void sign_with(X509* certificate, EVP_PKEY* key);

} // namespace aduana::certs
