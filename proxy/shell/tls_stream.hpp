// SPDX-License-Identifier: Apache-2.0
// A TLS connection as a Stream: OpenSSL on the non-blocking socket itself.
//
//   read_some / write_all ──▶ SSL_read / SSL_write ──▶ BIO ──▶ bytes read before (a ClientHello), then the socket
//            ▲                      │ WANT_READ, WANT_WRITE
//            └──── wait for the socket ◀┘
#pragma once

#include "policy/base/result.hpp"
#include "proxy/ports/dialer.hpp"
#include "proxy/shell/peer_watch.hpp"
#include "proxy/shell/tls_handle.hpp"

#include <boost/asio/ip/tcp.hpp>

namespace aduana::proxy {

/// Why not asio::ssl::stream: it holds two 17 KiB buffers and a BIO pair for each connection, idle ones too.
class TlsStream final : public Stream {
public:
    /// `ssl` is set up but not connected. `already_read`: bytes of the peer that were taken from the socket before.
    TlsStream(asio::ip::tcp::socket socket, SslPtr ssl, std::string already_read);
    ~TlsStream() override;

    /// Must succeed before anything else. The error's message says why not.
    /// `identities` (may be null) is asked for a certificate once the peer has proven its name and wants one.
    asio::awaitable<Result<Ok>> handshake(IdentitySource* identities);

    asio::awaitable<ReadResult> read_some(std::span<char> into) override;
    asio::awaitable<error_code> write_all(std::span<const char> from) override;
    asio::awaitable<error_code> finish() override;
    void close() override;
    bool quiet() override;
    void when_left(std::function<void()> left) override;

    /// What ALPN chose: "h2", "http/1.1", or nothing.
    [[nodiscard]] std::string_view protocol() const;
    /// "TLSv1.3"
    [[nodiscard]] std::string version() const;
    /// Of the peer's certificate: X509_V_OK, or what is wrong with it as text.
    [[nodiscard]] bool verified() const;
    [[nodiscard]] std::string verification_error() const;

private:
    struct Wire;

    asio::awaitable<Result<Ok>> identify(IdentitySource& identities);
    /// Waits for what OpenSSL wants, or tells why there is nothing to wait for. `code`: of SSL_get_error.
    asio::awaitable<error_code> ready(int code);
    PeerWatch::Sight look();

    asio::ip::tcp::socket socket_;
    std::unique_ptr<Wire> wire_;
    SslPtr ssl_;
    std::unique_ptr<PeerWatch> watch_; ///< once it was asked for
    bool failed_ = false;              ///< OpenSSL forbids to shut down after a fatal error
    bool finished_ = false;
    bool identity_known_ = true; ///< false: the handshake stops where a certificate is wanted
};

} // namespace aduana::proxy
