// SPDX-License-Identifier: Apache-2.0
// One request and its response between a client and a connected upstream, both ways at once.
//
//   client ──body──▶ upload ──▶ upstream          The exchange is over when `download` is: an answer that comes before
//   client ◀── download ◀──head, body── upstream  the end of the upload stops it, and the client is closed afterwards.
#pragma once

#include "proxy/core/rewrite.hpp"
#include "proxy/shell/incoming.hpp"
#include "proxy/shell/injected_values.hpp"
#include "proxy/shell/limits.hpp"
#include "proxy/shell/link.hpp"

#include <optional>

namespace aduana::proxy {

struct RelayEnd {
    int status = 0; ///< of the response that the client has begun to receive; 0: none
    std::uint64_t bytes_up = 0;
    std::uint64_t bytes_down = 0;
    std::uint64_t scrubbed = 0;
    std::optional<Failure> failure;
    bool unanswered = false;       ///< the upstream closed before the first byte of any response
    bool request_consumed = false; ///< the request body was read to its end
    bool client_reusable = false;  ///< another request may follow
    bool upstream_reusable = false;
};

class Relay {
public:
    struct Request {
        const RequestHead& head;
        BodyLength body;
        Scrubbing scrubbing; ///< how `head` was sent; off: nothing is ever injected for the task
    };
    /// Everything borrowed outlives `run`. `injected` may grow while it runs.
    Relay(Link& link, Incoming& client, Incoming& upstream, Request request, const InjectedValues& injected,
          const Deadlines& deadlines);

    /// Sends `head` (the whole rewritten request head), then relays.
    asio::awaitable<RelayEnd> run(std::string_view head);

private:
    asio::awaitable<void> upload();
    asio::awaitable<void> download();
    asio::awaitable<Outcome<ResponseHead>> read_response();
    asio::awaitable<Outcome<Ok>> pass_interim(const ResponseHead& interim);
    asio::awaitable<Outcome<Ok>> pass_response(ResponseHead head);
    asio::awaitable<Outcome<Ok>> pass_whole(const ResponseHead& head, BodyLength length, ResponsePlan plan);
    asio::awaitable<Outcome<Ok>> pass_stream(const ResponseHead& head, BodyLength length, ResponsePlan plan);

    [[nodiscard]] ResponsePlan plan_for(const ResponseHead& head, BodyLength length) const;
    [[nodiscard]] Failure upstream_failure(Incoming::HeadState state) const;
    [[nodiscard]] Failure cut_off(IncomingBody::State state) const;
    [[nodiscard]] bool scrubs() const noexcept { return request_.scrubbing == Scrubbing::on; }
    /// Valid until it is called again.
    const ScrubSet& current_set();
    void begin_response(int status);
    void progress() { link_.watchdog().arm(deadlines_.idle); }

    Link& link_;
    Incoming& client_;
    Incoming& upstream_;
    Request request_;
    const InjectedValues& injected_;
    std::shared_ptr<const ScrubSet> set_; ///< in use
    const Deadlines& deadlines_;
    RelayEnd end_;
    std::optional<Failure> client_failure_;
    bool client_body_ended_ = false;
    bool upload_ended_ = false;
    bool over_ = false;
};

} // namespace aduana::proxy
