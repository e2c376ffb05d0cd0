// SPDX-License-Identifier: Apache-2.0
// Leases from the broker's socket. One socket for all tasks; answers are matched to requests by their id.
#pragma once

#include "broker/client/credential_session.hpp"
#include "policy/base/fd.hpp"
#include "proxy/ports/credential_source.hpp"
#include "proxy/shell/limits.hpp"
#include "proxy/shell/signal.hpp"

#include <boost/asio/posix/stream_descriptor.hpp>

#include <functional>
#include <map>

namespace aduana::proxy {

class BrokerSource final : public CredentialSource {
public:
    /// `socket`: the proxy's end of a SEQPACKET pair.
    BrokerSource(const asio::any_io_executor& executor, UniqueFd socket, const Deadlines& deadlines);

    asio::awaitable<Outcome<broker::Lease>> acquire(const broker::Acquire& request) override;
    asio::awaitable<Outcome<broker::Signed>> sign(const broker::Sign& request) override;
    void release(const broker::Release& release) override;

    /// Told once, with the reason, when no lease can be had any more: whether anybody misses the broker then is the
    /// owner's to say.
    void on_loss(std::function<void(std::string_view why)> told) { told_ = std::move(told); }
    /// Receives answers until the broker is gone; the caller supervises it.
    asio::awaitable<void> run();
    void close() { hang_up("the broker's socket is closed"); }

private:
    struct Waiting {
        explicit Waiting(const asio::any_io_executor& executor) : signal(executor) {}
        Signal signal;
        std::optional<broker::CredentialSession::Answer> answer;
    };
    asio::awaitable<Outcome<broker::CredentialSession::Answer>> ask(std::uint64_t id, const wire::Writer& question);
    /// False: the socket cannot be trusted any more.
    bool receive();
    void hang_up(std::string_view why);

    asio::any_io_executor executor_;
    Deadlines deadlines_;
    broker::CredentialSession session_;
    asio::posix::stream_descriptor socket_;
    std::map<std::uint64_t, Waiting*> waiting_; ///< owned by the frames that wait
    std::function<void(std::string_view why)> told_;
    bool gone_ = false;
};

} // namespace aduana::proxy
