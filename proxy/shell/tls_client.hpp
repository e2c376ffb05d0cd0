// SPDX-License-Identifier: Apache-2.0
// TLS to upstreams: the system's roots and the operator's own, the name verified without exception.
#pragma once

#include "policy/base/result.hpp"
#include "policy/host.hpp"
#include "proxy/shell/tls_stream.hpp"

namespace aduana::proxy {

/// What the server may choose from (RFC 7301).
enum class Alpn : std::uint8_t { http1, http2_too };

class ClientTls {
public:
    /// `extra_ca`: PEM text, may be empty. There is no way to verify less.
    [[nodiscard]] static Result<ClientTls> create(std::string_view extra_ca);

    /// To be handshaken: that fails if the certificate is not valid for `name`.
    [[nodiscard]] std::unique_ptr<TlsStream> connect(asio::ip::tcp::socket socket, const policy::Host& name,
                                                     Alpn offered) const;

private:
    explicit ClientTls(SslContextPtr context) : context_(std::move(context)) {}
    SslContextPtr context_;
};

} // namespace aduana::proxy
