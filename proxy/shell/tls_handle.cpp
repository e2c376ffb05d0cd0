// SPDX-License-Identifier: Apache-2.0
// Common settings of all contexts.
#include "proxy/shell/tls_handle.hpp"

#include <openssl/err.h>

#include <stdexcept>

namespace aduana::proxy {

std::string take_tls_error()
{
    const auto code = ERR_get_error();
    ERR_clear_error();
    const char* const text = code == 0 ? nullptr : ERR_reason_error_string(code);
    return text == nullptr ? "the peer closed the connection" : text;
}

SslContextPtr make_tls_context(const SSL_METHOD* method)
{
    SslContextPtr context(SSL_CTX_new(method));
    if (!context)
        throw std::runtime_error("TLS: " + take_tls_error());
    SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
    SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                        SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_AUTO_RETRY);
    return context;
}

} // namespace aduana::proxy
