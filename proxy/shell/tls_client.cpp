// SPDX-License-Identifier: Apache-2.0
// Client contexts and the verification of names (RFC 6125, RFC 9525).
#include "proxy/shell/tls_client.hpp"

#include "certs/trust.hpp"

#include <openssl/x509v3.h>

#include <stdexcept>

namespace aduana::proxy {

namespace {

Result<Ok> add_roots(SSL_CTX* context, std::string_view pem)
{
    const auto certificates = certs::certificates_in(pem);
    if (!certificates)
        return Error{"upstream.extra_ca: " + certificates.error().message, certificates.error().remedy};
    X509_STORE* const store = SSL_CTX_get_cert_store(context);
    for (const auto& der : *certificates) {
        const auto* bytes = reinterpret_cast<const unsigned char*>(der.data());
        const certs::X509Ptr certificate(d2i_X509(nullptr, &bytes, static_cast<long>(der.size())));
        if (!certificate || X509_STORE_add_cert(store, certificate.get()) != 1)
            return Error{"upstream.extra_ca: " + take_tls_error(), "use certificates in PEM"};
    }
    return Ok{};
}

void offer(SSL* ssl, Alpn offered)
{
    constexpr unsigned char protocols[] = "\x02h2\x08http/1.1";
    constexpr std::size_t h2 = 3;
    const bool all = offered == Alpn::http2_too;
    SSL_set_alpn_protos(ssl, protocols + (all ? 0 : h2), sizeof(protocols) - 1 - (all ? 0 : h2));
}

/// "f*o.example.com" is no wildcard that a name was ever issued for in good faith, and a subject's common name is not a
/// host name at all (RFC 9525 section 2).
void require_name(SSL* ssl, const policy::Host& name)
{
    X509_VERIFY_PARAM* const parameters = SSL_get0_param(ssl);
    X509_VERIFY_PARAM_set_hostflags(parameters,
                                    X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
    const auto& ip = name.ip();
    int set = 0;
    if (ip) {
        const auto& bytes = ip->bytes();
        set = X509_VERIFY_PARAM_set1_ip(parameters, bytes.data(), ip->is_v4() ? 4 : bytes.size());
    } else {
        set = X509_VERIFY_PARAM_set1_host(parameters, name.text().data(), name.text().size());
        set = set == 1 ? static_cast<int>(SSL_set_tlsext_host_name(ssl, name.text().c_str())) : 0;
    }
    if (set != 1)
        throw std::runtime_error("TLS: " + take_tls_error());
}

} // namespace

Result<ClientTls> ClientTls::create(std::string_view extra_ca)
{
    auto context = make_tls_context(TLS_client_method());
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
    if (SSL_CTX_set_default_verify_paths(context.get()) != 1)
        return Error{"the system's certificate authorities: " + take_tls_error(), "install ca-certificates"};
    if (!extra_ca.empty()) {
        const auto added = add_roots(context.get(), extra_ca);
        if (!added)
            return added.error();
    }
    return ClientTls(std::move(context));
}

std::unique_ptr<TlsStream> ClientTls::connect(asio::ip::tcp::socket socket, const policy::Host& name,
                                              Alpn offered) const
{
    SslPtr ssl(SSL_new(context_.get()));
    if (!ssl)
        throw std::runtime_error("TLS: " + take_tls_error());
    require_name(ssl.get(), name);
    offer(ssl.get(), offered);
    SSL_set_connect_state(ssl.get());
    return std::make_unique<TlsStream>(std::move(socket), std::move(ssl), std::string());
}

} // namespace aduana::proxy
