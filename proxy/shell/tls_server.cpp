// SPDX-License-Identifier: Apache-2.0
// Server contexts. The ClientHello was read before, so the leaf is set before OpenSSL sees the first byte.
#include "proxy/shell/tls_server.hpp"

#include <stdexcept>

namespace aduana::proxy {

namespace {

/// HTTP or nothing: a client that insists on another protocol is told so by an alert (RFC 7301 section 3.2).
int select_http(SSL*, const unsigned char** out, unsigned char* out_size, const unsigned char* in, unsigned in_size,
                void*)
{
    // Static: OpenSSL keeps the pointer that it is given, beyond this call.
    static constexpr unsigned char ours[] = "\x02h2\x08http/1.1";
    unsigned char* selected = nullptr;
    if (SSL_select_next_proto(&selected, out_size, ours, sizeof(ours) - 1, in, in_size) != OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    *out = selected;
    return SSL_TLSEXT_ERR_OK;
}

} // namespace

ServerTls::ServerTls(std::string_view task, certs::TimePoint now)
    : ca_(certs::TaskCa::create(task, now)), leaves_(ca_), context_(make_tls_context(TLS_server_method()))
{
    constexpr unsigned char session_context[] = "aduana";
    SSL_CTX_set_session_id_context(context_.get(), session_context, sizeof(session_context) - 1);
    // Tickets only: a cache of sessions would grow with every connection.
    SSL_CTX_set_session_cache_mode(context_.get(), SSL_SESS_CACHE_OFF);
    SSL_CTX_set_num_tickets(context_.get(), 1);
    SSL_CTX_set_alpn_select_cb(context_.get(), select_http, nullptr);
}

std::unique_ptr<TlsStream> ServerTls::accept(PlainStream& client, std::string hello, const policy::Host& name,
                                             certs::TimePoint now)
{
    SslPtr ssl(SSL_new(context_.get()));
    const auto leaf = leaves_.leaf_for(name, now);
    if (!ssl || SSL_use_certificate(ssl.get(), leaf.certificate) != 1 || SSL_use_PrivateKey(ssl.get(), leaf.key) != 1)
        throw std::runtime_error("TLS: " + take_tls_error());
    SSL_set_accept_state(ssl.get());
    return std::make_unique<TlsStream>(client.take(), std::move(ssl), std::move(hello));
}

} // namespace aduana::proxy
