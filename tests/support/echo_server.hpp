// SPDX-License-Identifier: Apache-2.0
// An upstream for tests: answers every request with the head that it saw, over TLS with a private authority or without.
#pragma once

#include "certs/task_ca.hpp"
#include "tests/support/blocking_stream.hpp"
#include "tests/support/loopback.hpp"

#include <list>
#include <mutex>
#include <thread>
#include <vector>

namespace aduana::test {

class EchoServer {
public:
    enum class Security { plain, tls };
    /// `name` goes into its certificate.
    EchoServer(Security security, std::string_view name)
        : ca_(certs::TaskCa::create("an upstream", std::chrono::system_clock::now())), socket_(listen_on_loopback())
    {
        if (security == Security::tls) {
            const auto host = policy::Host::parse(name).value();
            const auto leaf = ca_.mint(host, std::chrono::system_clock::now());
            context_.reset(SSL_CTX_new(TLS_server_method()));
            SSL_CTX_use_certificate(context_.get(), leaf.get());
            SSL_CTX_use_PrivateKey(context_.get(), ca_.leaf_key());
        }
        acceptor_ = std::thread([this] { accept_all(); });
    }
    ~EchoServer()
    {
        ::shutdown(socket_.get(), SHUT_RDWR);
        acceptor_.join();
        for (auto& connection : connections_)
            connection.join();
    }
    EchoServer(const EchoServer&) = delete;
    EchoServer& operator=(const EchoServer&) = delete;

    [[nodiscard]] std::uint16_t port() const { return port_of(socket_.get()); }
    [[nodiscard]] std::string ca_certificate() const { return ca_.certificate_pem(); }
    /// Heads of requests, in the order in which they came.
    [[nodiscard]] std::vector<std::string> seen()
    {
        const std::lock_guard lock(mutex_);
        return seen_;
    }

private:
    void accept_all()
    {
        for (;;) {
            UniqueFd client(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
            if (!client)
                return;
            set_deadline(client.get(), 5);
            connections_.emplace_back([this, stream = BlockingStream(std::move(client))]() mutable { serve(stream); });
        }
    }
    void serve(BlockingStream& stream)
    {
        if (context_ && !stream.accept_tls(context_.get()))
            return;
        for (;;) {
            const auto head = stream.read_until("\r\n\r\n");
            if (!head.ends_with("\r\n\r\n"))
                return;
            {
                const std::lock_guard lock(mutex_);
                seen_.push_back(head);
            }
            stream.write("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: " +
                         std::to_string(head.size()) + "\r\n\r\n" + head);
        }
    }

    certs::TaskCa ca_;
    SslContext context_;
    UniqueFd socket_;
    std::mutex mutex_;
    std::vector<std::string> seen_;
    std::list<std::thread> connections_;
    std::thread acceptor_;
};

} // namespace aduana::test
