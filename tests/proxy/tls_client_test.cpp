// SPDX-License-Identifier: Apache-2.0
// Which names of a server's certificate count: a real handshake over loopback with a certificate made for the case.
#include "proxy/shell/tls_client.hpp"

#include "tests/support/blocking_stream.hpp"
#include "tests/support/loopback.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <thread>

namespace aduana::proxy {
namespace {

using KeyPtr = std::unique_ptr<EVP_PKEY, certs::Freer<EVP_PKEY_free>>;
using CertificatePtr = std::unique_ptr<X509, certs::Freer<X509_free>>;
using ExtensionPtr = std::unique_ptr<X509_EXTENSION, certs::Freer<X509_EXTENSION_free>>;
using MemoryPtr = std::unique_ptr<BIO, certs::Freer<BIO_free_all>>;

/// Signed by itself: it is its own root.
struct Server {
    Server(const std::string& common_name, const char* alternative_names)
        : key(EVP_EC_gen("P-256")), certificate(X509_new())
    {
        X509_set_version(certificate.get(), X509_VERSION_3);
        X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -60);
        X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
        X509_set_pubkey(certificate.get(), key.get());
        auto* const name = X509_get_subject_name(certificate.get());
        X509_NAME_add_entry_by_NID(name, NID_commonName, MBSTRING_UTF8,
                                   reinterpret_cast<const unsigned char*>(common_name.data()),
                                   static_cast<int>(common_name.size()), -1, 0);
        X509_set_issuer_name(certificate.get(), name);
        if (*alternative_names != '\0') {
            const ExtensionPtr names(X509V3_EXT_nconf_nid(nullptr, nullptr, NID_subject_alt_name, alternative_names));
            X509_add_ext(certificate.get(), names.get(), -1);
        }
        X509_sign(certificate.get(), key.get(), EVP_sha256());
    }
    [[nodiscard]] std::string pem() const
    {
        const MemoryPtr memory(BIO_new(BIO_s_mem()));
        PEM_write_bio_X509(memory.get(), certificate.get());
        char* bytes = nullptr;
        const auto size = BIO_get_mem_data(memory.get(), &bytes);
        return {bytes, static_cast<std::size_t>(size)};
    }

    KeyPtr key;
    CertificatePtr certificate;
};

/// Empty: the server has proven to be `name`.
std::string refusal(const Server& server, std::string_view name)
{
    const auto listener = test::listen_on_loopback();
    std::thread answering([&] {
        const test::SslContext context(SSL_CTX_new(TLS_server_method()));
        SSL_CTX_use_certificate(context.get(), server.certificate.get());
        SSL_CTX_use_PrivateKey(context.get(), server.key.get());
        test::BlockingStream stream(UniqueFd(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC)));
        (void)stream.accept_tls(context.get());
    });
    asio::io_context io;
    asio::ip::tcp::socket socket(io);
    socket.connect({asio::ip::address_v4::loopback(), test::port_of(listener.get())});
    const auto tls = ClientTls::create(server.pem());
    auto stream = tls.value().connect(std::move(socket), policy::Host::parse(name).value(), Alpn::http1);
    std::string message;
    const auto shake = [&]() -> asio::awaitable<void> {
        const auto done = co_await stream->handshake(nullptr);
        message = done ? "" : stream->verification_error();
        stream->close();
    };
    asio::co_spawn(io, shake(), asio::detached);
    io.run();
    answering.join();
    return message;
}

TEST(ClientTls, TakesAnAlternativeNameOfTheCertificate)
{
    EXPECT_EQ(refusal(Server("anything", "DNS:api.test"), "api.test"), "");
    EXPECT_EQ(refusal(Server("anything", "DNS:*.api.test"), "eu.api.test"), "");
    EXPECT_EQ(refusal(Server("anything", "IP:127.0.0.1"), "127.0.0.1"), "");
}

TEST(ClientTls, DoesNotTakeACommonNameForAHost)
{
    for (const char* alternative : {"", "email:root@api.test", "DNS:other.test", "IP:127.0.0.1"}) {
        SCOPED_TRACE(alternative);
        EXPECT_EQ(refusal(Server("api.test", alternative), "api.test"), "hostname mismatch");
    }
}

TEST(ClientTls, DoesNotTakeAWildcardWithinALabel)
{
    EXPECT_EQ(refusal(Server("anything", "DNS:a*i.test"), "api.test"), "hostname mismatch");
}

} // namespace
} // namespace aduana::proxy
