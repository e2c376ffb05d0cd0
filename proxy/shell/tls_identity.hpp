// SPDX-License-Identifier: Apache-2.0
// A certificate of our own in a TLS connection to an upstream (RFC 8446 section 4.4.2).
#pragma once

#include "policy/base/result.hpp"
#include "proxy/shell/tls_handle.hpp"

#include <string_view>

namespace aduana::proxy {

/// The handshake stops with SSL_ERROR_WANT_X509_LOOKUP where the server wants a certificate, as long as `known` is
/// false; by then its own has been verified. `known` outlives the handshake.
void stop_for_identity(SSL* ssl, const bool& known);

/// PEM, as in broker::Lease.
[[nodiscard]] Result<Ok> use_identity(SSL* ssl, std::string_view pem);

} // namespace aduana::proxy
