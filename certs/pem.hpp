// SPDX-License-Identifier: Apache-2.0
// PEM text (RFC 7468) in and out of memory.
#pragma once

#include "certs/openssl_handle.hpp"

#include <openssl/bio.h>

#include <string>
#include <string_view>

namespace aduana::certs {

using BioPtr = std::unique_ptr<BIO, Freer<BIO_free_all>>;

/// Reads from `text`, which must outlive it.
[[nodiscard]] BioPtr reader_of(std::string_view text);
/// What was written to a memory BIO so far, or what is left to read; borrowed from it.
[[nodiscard]] std::string_view contents(BIO* bio);
/// A password callback that has none: without it OpenSSL would ask on the terminal.
int no_password(char* buffer, int size, int writing, void* context);

[[nodiscard]] std::string to_pem(const X509* certificate);

} // namespace aduana::certs
