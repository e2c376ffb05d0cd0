// SPDX-License-Identifier: Apache-2.0
// A blocking client or server end for tests: plain TCP, and TLS on top of it when it is told so.
#pragma once

#include "certs/openssl_handle.hpp"
#include "policy/base/fd.hpp"

#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <csignal>
#include <memory>
#include <string>
#include <string_view>

namespace aduana::test {

using SslContext = std::unique_ptr<SSL_CTX, certs::Freer<SSL_CTX_free>>;

class BlockingStream {
public:
    explicit BlockingStream(UniqueFd socket) : socket_(std::move(socket)) {}

    bool accept_tls(SSL_CTX* context)
    {
        start(context);
        return SSL_accept(ssl_.get()) == 1;
    }
    /// Verifies against the context's roots; empty `server_name`: no SNI, and `verify_name` alone is checked.
    bool connect_tls(SSL_CTX* context, const std::string& server_name)
    {
        start(context);
        SSL_set_verify(ssl_.get(), SSL_VERIFY_PEER, nullptr);
        if (!server_name.empty()) {
            SSL_set_tlsext_host_name(ssl_.get(), server_name.c_str());
            SSL_set1_host(ssl_.get(), server_name.c_str());
        }
        return SSL_connect(ssl_.get()) == 1;
    }

    void write(std::string_view bytes)
    {
        while (!bytes.empty()) {
            const auto put = ssl_ ? SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()))
                                  : static_cast<int>(::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL));
            if (put <= 0)
                return;
            bytes.remove_prefix(static_cast<std::size_t>(put));
        }
    }
    /// What comes next, or "" when nothing does any more.
    std::string read_some()
    {
        std::string bytes(16 * 1024, '\0');
        const auto got = ssl_ ? SSL_read(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()))
                              : static_cast<int>(::recv(socket_.get(), bytes.data(), bytes.size(), 0));
        bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
        return bytes;
    }
    /// Everything up to and including `end`, or up to the end of the stream.
    std::string read_until(std::string_view end)
    {
        while (unread_.find(end) == std::string::npos) {
            const auto more = read_some();
            if (more.empty())
                return std::exchange(unread_, {});
            unread_ += more;
        }
        const auto size = unread_.find(end) + end.size();
        auto taken = unread_.substr(0, size);
        unread_.erase(0, size);
        return taken;
    }
    std::string read_exactly(std::size_t size)
    {
        while (unread_.size() < size) {
            const auto more = read_some();
            if (more.empty())
                break;
            unread_ += more;
        }
        auto taken = unread_.substr(0, size);
        unread_.erase(0, taken.size());
        return taken;
    }
    std::string read_all()
    {
        for (auto more = read_some(); !more.empty(); more = read_some())
            unread_ += more;
        return std::exchange(unread_, {});
    }
    void finish() { ::shutdown(socket_.get(), SHUT_WR); }
    [[nodiscard]] int fd() const { return socket_.get(); }

private:
    void start(SSL_CTX* context)
    {
        std::signal(SIGPIPE, SIG_IGN); // OpenSSL writes without MSG_NOSIGNAL
        ssl_.reset(SSL_new(context));
        SSL_set_fd(ssl_.get(), socket_.get());
    }

    UniqueFd socket_;
    std::unique_ptr<SSL, certs::Freer<SSL_free>> ssl_;
    std::string unread_;
};

/// A context that trusts one certificate authority and nothing else.
inline SslContext client_context(std::string_view ca_pem)
{
    SslContext context(SSL_CTX_new(TLS_client_method()));
    BIO* const bio = BIO_new_mem_buf(ca_pem.data(), static_cast<int>(ca_pem.size()));
    const certs::X509Ptr certificate(PEM_read_bio_X509(bio, nullptr, nullptr, nullptr));
    BIO_free(bio);
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context.get()), certificate.get());
    return context;
}

} // namespace aduana::test
