// SPDX-License-Identifier: Apache-2.0
// Reads and writes of a TCP socket, errors as values.
#include "proxy/shell/plain_stream.hpp"

#include "proxy/shell/signal.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>

#include <sys/socket.h>

#include <cerrno>

namespace aduana::proxy {

PlainStream::PlainStream(asio::ip::tcp::socket socket) : socket_(std::move(socket))
{
    error_code ignored;
    socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
}

asio::awaitable<ReadResult> PlainStream::read_some(std::span<char> into)
{
    auto [error, size] = co_await socket_.async_read_some(asio::buffer(into.data(), into.size()), as_result);
    co_return ReadResult{error, size};
}

asio::awaitable<error_code> PlainStream::write_all(std::span<const char> from)
{
    const PeerWatch::Writing writing(watch_.get());
    auto [error, size] = co_await asio::async_write(socket_, asio::buffer(from.data(), from.size()), as_result);
    co_return error;
}

asio::awaitable<error_code> PlainStream::finish()
{
    error_code error;
    socket_.shutdown(asio::ip::tcp::socket::shutdown_send, error);
    co_return error;
}

void PlainStream::close()
{
    error_code ignored;
    socket_.close(ignored);
}

bool PlainStream::quiet()
{
    char byte = 0;
    const auto got = ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

void PlainStream::when_left(std::function<void()> left)
{
    if (!watch_ && left)
        watch_ = std::make_unique<PeerWatch>(socket_, [this] { return look_at(socket_.native_handle()); });
    if (watch_)
        watch_->when_left(std::move(left));
}

} // namespace aduana::proxy
