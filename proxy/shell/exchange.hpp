// SPDX-License-Identifier: Apache-2.0
// The life of one request.
#pragma once

#include "proxy/shell/attempt_record.hpp"
#include "proxy/shell/incoming.hpp"
#include "proxy/shell/link.hpp"
#include "proxy/shell/relay.hpp"

namespace aduana::proxy {

/// What the client's connection does after a request.
enum class Next : std::uint8_t {
    again,
    close,
    opened, ///< a CONNECT was answered: see `Exchange::authority`
};

class Exchange {
public:
    /// All borrowed, and they outlive the exchange. A scope of absolute_form is the proxy port, where CONNECT is known.
    Exchange(Task& task, Link& link, Incoming& client, const Scope& scope)
        : task_(task), link_(link), client_(client), scope_(scope)
    {
    }

    ~Exchange() { release(); }
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;

    /// Waits for a request, and answers it. Every request leaves exactly one record; silence leaves none.
    asio::awaitable<Next> run();

    /// Somebody asked for something.
    [[nodiscard]] bool heard() const noexcept { return heard_; }
    /// Of a CONNECT; set after `opened`.
    [[nodiscard]] const std::optional<policy::Authority>& authority() const { return authority_; }

private:
    struct Upstream {
        UpstreamKey key;
        Dialled connection;
        bool reused = false; ///< it was idle, and the server may have closed it meanwhile
    };

    asio::awaitable<Next> open_tunnel();
    asio::awaitable<Next> forward(AttemptRecord& record, const Target& target, const policy::Rule& rule);
    asio::awaitable<Outcome<Upstream>> connect(const Target& target, const policy::Rule& rule);
    /// The credential of the rule, if any. Only after the dial: no secret exists before its destination is proven.
    asio::awaitable<Outcome<Ok>> lease(AttemptRecord& record, const Target& target, const policy::Rule& rule);
    asio::awaitable<RelayEnd> relay(AttemptRecord& record, Dialled& upstream, std::string_view head);
    asio::awaitable<Next> conclude(AttemptRecord& record, RelayEnd end);
    asio::awaitable<Next> refuse(AttemptRecord& record, Failure failure);
    asio::awaitable<Next> refuse(AttemptRecord& record, Refusal refusal);

    [[nodiscard]] Outcome<RequestHead> parsed(Incoming::HeadState state) const;
    [[nodiscard]] std::size_t upstream_head_size() const;
    void release();

    Task& task_;
    Link& link_;
    Incoming& client_;
    const Scope& scope_;
    bool heard_ = false;
    RequestHead head_;
    BodyLength body_;
    bool head_known_ = false; ///< and with it, where the request ends
    std::optional<policy::Authority> authority_;
    std::optional<broker::Lease> lease_;
};

} // namespace aduana::proxy
