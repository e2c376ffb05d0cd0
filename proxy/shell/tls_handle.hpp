// SPDX-License-Identifier: Apache-2.0
// Owners for libssl's objects, and its errors as text.
#pragma once

#include "certs/openssl_handle.hpp"

#include <openssl/ssl.h>

#include <string>

namespace aduana::proxy {

using SslPtr = std::unique_ptr<SSL, certs::Freer<SSL_free>>;
using SslContextPtr = std::unique_ptr<SSL_CTX, certs::Freer<SSL_CTX_free>>;

/// The oldest error of this thread's queue, without file names ("no suitable signature algorithm"); empties the queue.
[[nodiscard]] std::string take_tls_error();

/// What both sides of every TLS connection share: TLS 1.2 or newer, no renegotiation, no compression, buffers released
/// while idle. `method` is TLS_server_method() or TLS_client_method(). Throws std::runtime_error when out of memory.
[[nodiscard]] SslContextPtr make_tls_context(const SSL_METHOD* method);

} // namespace aduana::proxy
