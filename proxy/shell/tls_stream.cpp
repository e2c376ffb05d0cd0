// SPDX-License-Identifier: Apache-2.0
// OpenSSL's state machine driven by waits for the socket.
#include "proxy/shell/tls_stream.hpp"

#include "proxy/shell/signal.hpp"
#include "proxy/shell/tls_identity.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/x509_vfy.h>

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace aduana::proxy {

/// What the BIO reads from and writes to.
struct TlsStream::Wire {
    int socket = -1;
    std::string early;
    std::size_t early_used = 0;

    int read(BIO* bio, char* into, int size)
    {
        BIO_clear_retry_flags(bio);
        if (early_used < early.size()) {
            const auto count = std::min(early.size() - early_used, static_cast<std::size_t>(size));
            std::memcpy(into, early.data() + early_used, count);
            early_used += count;
            if (early_used == early.size())
                early = std::string();
            return static_cast<int>(count);
        }
        const auto got = ::recv(socket, into, static_cast<std::size_t>(size), 0);
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            BIO_set_retry_read(bio);
        return static_cast<int>(got);
    }

    int write(BIO* bio, const char* from, int size) const
    {
        BIO_clear_retry_flags(bio);
        const auto put = ::send(socket, from, static_cast<std::size_t>(size), MSG_NOSIGNAL);
        if (put < 0 && (errno == EAGAIN || errno == EINTR))
            BIO_set_retry_write(bio);
        return static_cast<int>(put);
    }

    static const BIO_METHOD* method()
    {
        static const auto made = [] {
            BIO_METHOD* const table = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "aduana socket");
            BIO_meth_set_read(table, [](BIO* bio, char* into, int size) {
                return static_cast<Wire*>(BIO_get_data(bio))->read(bio, into, size);
            });
            BIO_meth_set_write(table, [](BIO* bio, const char* from, int size) {
                return static_cast<Wire*>(BIO_get_data(bio))->write(bio, from, size);
            });
            BIO_meth_set_ctrl(table, [](BIO*, int command, long, void*) -> long { return command == BIO_CTRL_FLUSH; });
            return table;
        }();
        return made;
    }
};

TlsStream::TlsStream(asio::ip::tcp::socket socket, SslPtr ssl, std::string already_read)
    : socket_(std::move(socket)), wire_(std::make_unique<Wire>()), ssl_(std::move(ssl))
{
    error_code ignored;
    socket_.native_non_blocking(true, ignored);
    socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
    wire_->socket = socket_.native_handle();
    wire_->early = std::move(already_read);
    BIO* const bio = BIO_new(Wire::method());
    BIO_set_data(bio, wire_.get());
    BIO_set_init(bio, 1);
    SSL_set_bio(ssl_.get(), bio, bio);
}

TlsStream::~TlsStream() = default;

asio::awaitable<error_code> TlsStream::ready(int code)
{
    if (code == SSL_ERROR_ZERO_RETURN)
        co_return asio::error::eof;
    if (code != SSL_ERROR_WANT_READ && code != SSL_ERROR_WANT_WRITE) {
        // A peer that closes without close_notify lands here too: cut off, not ended (RFC 8446 section 6.1).
        failed_ = true;
        co_return asio::error::connection_aborted;
    }
    const auto what = code == SSL_ERROR_WANT_READ ? asio::socket_base::wait_read : asio::socket_base::wait_write;
    auto [error] = co_await socket_.async_wait(what, as_result);
    co_return error;
}

namespace {

/// OpenSSL's queue of errors is the thread's: to be taken before another connection uses it.
std::string reason_of(int code)
{
    auto why = code == SSL_ERROR_SSL || code == SSL_ERROR_SYSCALL ? take_tls_error() : std::string();
    return why.empty() ? "the connection was closed" : why;
}

} // namespace

asio::awaitable<Result<Ok>> TlsStream::handshake(IdentitySource* identities)
{
    identity_known_ = identities == nullptr;
    if (identities != nullptr)
        stop_for_identity(ssl_.get(), identity_known_);
    for (;;) {
        ERR_clear_error();
        const int done = SSL_do_handshake(ssl_.get());
        if (done == 1)
            co_return Ok{};
        const int code = SSL_get_error(ssl_.get(), done);
        if (code == SSL_ERROR_WANT_X509_LOOKUP && identities != nullptr) {
            const auto identified = co_await identify(*identities);
            if (!identified)
                co_return identified.error();
            continue;
        }
        auto why = reason_of(code);
        const auto error = co_await ready(code);
        if (error)
            co_return Error{std::move(why)};
    }
}

asio::awaitable<Result<Ok>> TlsStream::identify(IdentitySource& identities)
{
    identity_known_ = true;
    const auto identity = co_await identities.identity();
    if (!identity)
        co_return Error{identity.error().detail};
    if (*identity == nullptr)
        co_return Ok{};
    auto used = use_identity(ssl_.get(), (*identity)->reveal());
    co_return used;
}

asio::awaitable<ReadResult> TlsStream::read_some(std::span<char> into)
{
    for (;;) {
        std::size_t size = 0;
        ERR_clear_error();
        const int done = SSL_read_ex(ssl_.get(), into.data(), into.size(), &size);
        if (done == 1)
            co_return ReadResult{{}, size};
        const auto error = co_await ready(SSL_get_error(ssl_.get(), done));
        if (error)
            co_return ReadResult{error, 0};
    }
}

asio::awaitable<error_code> TlsStream::write_all(std::span<const char> from)
{
    const PeerWatch::Writing writing(watch_.get());
    while (!from.empty()) {
        std::size_t size = 0;
        ERR_clear_error();
        const int done = SSL_write_ex(ssl_.get(), from.data(), from.size(), &size);
        if (done == 1) {
            from = from.subspan(size);
            continue;
        }
        const auto error = co_await ready(SSL_get_error(ssl_.get(), done));
        if (error)
            co_return error;
    }
    co_return error_code();
}

asio::awaitable<error_code> TlsStream::finish()
{
    if (std::exchange(finished_, true) || failed_)
        co_return error_code();
    for (;;) {
        ERR_clear_error();
        const int done = SSL_shutdown(ssl_.get());
        if (done >= 0) // our close_notify is out; the peer's may come later
            break;
        const auto error = co_await ready(SSL_get_error(ssl_.get(), done));
        if (error)
            co_return error;
    }
    error_code error;
    socket_.shutdown(asio::ip::tcp::socket::shutdown_send, error);
    co_return error;
}

void TlsStream::close()
{
    error_code ignored;
    wire_->socket = -1;
    socket_.close(ignored);
}

bool TlsStream::quiet()
{
    if (failed_ || finished_ || wire_->socket < 0)
        return false;
    char byte = 0;
    std::size_t size = 0;
    ERR_clear_error();
    // Reads what is there without taking it: session tickets may have come after the last response (RFC 8446, 4.6.1).
    const int done = SSL_peek_ex(ssl_.get(), &byte, 1, &size);
    return done != 1 && SSL_get_error(ssl_.get(), done) == SSL_ERROR_WANT_READ;
}

void TlsStream::when_left(std::function<void()> left)
{
    if (!watch_ && left)
        watch_ = std::make_unique<PeerWatch>(socket_, [this] { return look(); });
    if (watch_)
        watch_->when_left(std::move(left));
}

/// The socket may stay open behind a close_notify, which only OpenSSL can see.
PeerWatch::Sight TlsStream::look()
{
    const auto sight = look_at(wire_->socket);
    if (sight == PeerWatch::Sight::left || sight == PeerWatch::Sight::ended)
        return sight;
    char byte = 0;
    std::size_t size = 0;
    ERR_clear_error();
    const int done = SSL_peek_ex(ssl_.get(), &byte, 1, &size);
    if (done == 1)
        return PeerWatch::Sight::bytes;
    switch (SSL_get_error(ssl_.get(), done)) {
    case SSL_ERROR_WANT_READ:
        return PeerWatch::Sight::nothing;
    case SSL_ERROR_WANT_WRITE: // an answer to the peer's KeyUpdate has to wait: so do we
        return PeerWatch::Sight::bytes;
    case SSL_ERROR_ZERO_RETURN:
        return PeerWatch::Sight::ended;
    default:
        failed_ = true;
        return PeerWatch::Sight::left;
    }
}

std::string_view TlsStream::protocol() const
{
    const unsigned char* chosen = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(ssl_.get(), &chosen, &size);
    return {reinterpret_cast<const char*>(chosen), size};
}

std::string TlsStream::version() const
{
    return SSL_get_version(ssl_.get());
}

bool TlsStream::verified() const
{
    return SSL_get_verify_result(ssl_.get()) == X509_V_OK;
}

std::string TlsStream::verification_error() const
{
    return X509_verify_cert_error_string(SSL_get_verify_result(ssl_.get()));
}

} // namespace aduana::proxy
