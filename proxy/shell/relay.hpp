// SPDX-License-Identifier: Apache-2.0
// One request and its response between a client and a connected upstream, both ways at once.
//
//   client ──body──▶ upload ──▶ upstream          The exchange is over when `download` is: an answer that comes before
//   client ◀── download ◀──head, body── upstream  the end of the upload stops it.
#pragma once

#include "policy/task_policy.hpp"
#include "proxy/core/body_filter.hpp"
#include "proxy/core/placeholders.hpp"
#include "proxy/shell/injected_values.hpp"
#include "proxy/shell/limits.hpp"
#include "proxy/shell/link.hpp"
#include "proxy/shell/sides.hpp"

#include <functional>
#include <optional>

namespace aduana::proxy {

struct RelayEnd {
    int status = 0; ///< of the response that the client has begun to receive; 0: none
    std::uint64_t bytes_up = 0;
    std::uint64_t bytes_down = 0;
    std::uint64_t scrubbed = 0;
    bool switched = false; ///< both sides go on with frames of WebSocket
    std::optional<Failure> failure;
    bool untouched = false; ///< nothing was sent, and nothing of the request's body was read
    bool again = false;     ///< the answer was dropped: the request is to be sent once more
};

class Relay {
public:
    struct Request {
        std::string_view method;
        const WebsocketOffer* websocket; ///< null: none is asked for
        Scrubbing scrubbing;             ///< how the head was sent; off: nothing is ever injected for the task
        const policy::Rule& rule;        ///< for its limits
        Credentialed credentialed;
        std::size_t& decoders; ///< of the task, in use
        BodyWatch* watch;      ///< of the request body; null: nobody asks
        /// Asked with the status before a final answer is passed on; true drops it. Empty: every answer is passed on.
        std::function<asio::awaitable<bool>(int)> drops{};
        /// Takes the body of a successful answer, whole, and gives what goes on in its place. Empty: nothing is taken
        /// out of it.
        std::function<Outcome<std::string>(std::string_view)> captures{};
    };
    /// Everything borrowed outlives `run`. `injected` may grow while it runs.
    Relay(Link& link, ClientSide& client, UpstreamSide& upstream, Request request, const InjectedValues& injected,
          const Deadlines& deadlines);

    /// Sends `head`, then relays.
    asio::awaitable<RelayEnd> run(const OutgoingRequest& head);

private:
    /// An answer's body that is searched, and what of it has not gone on yet.
    struct Filtered {
        BodyFilter filter;
        std::size_t wait = 0; ///< bytes that are kept in the hope that it ends: then it has a Content-Length
        std::string ready{};
        bool begun = false;
    };
    asio::awaitable<void> upload();
    asio::awaitable<void> download();
    asio::awaitable<Outcome<ResponseHead>> read_response();
    asio::awaitable<Outcome<Ok>> pass_interim(const ResponseHead& interim);
    asio::awaitable<Outcome<Ok>> pass_response(ResponseHead head);
    asio::awaitable<Outcome<Ok>> pass_agreement(const ResponseHead& head);
    asio::awaitable<Outcome<Ok>> pass_stream(const ResponseHead& head, BodyLength length);
    asio::awaitable<Outcome<Ok>> pass_searched(ResponseHead head, BodyLength length);
    asio::awaitable<Outcome<Ok>> pass_captured(ResponseHead head, BodyLength length);
    /// Without its coding, and not searched yet.
    asio::awaitable<Outcome<Ok>> hold(ContentCoding coding, std::string& body);
    [[nodiscard]] Outcome<Ok> hold_piece(BodyFilter& filter, std::string_view rest, BodyFilter::Last last,
                                         std::string& body) const;
    asio::awaitable<Outcome<Ok>> pass_filtered(const ResponseHead& head, Filtered& body);
    asio::awaitable<Outcome<Ok>> pass_piece(const ResponseHead& head, Filtered& body, const BodyPiece& piece);
    asio::awaitable<Outcome<Ok>> pass_nothing(const ResponseHead& head);
    asio::awaitable<Outcome<Ok>> begin_stream(const ResponseHead& head, BodyLength length);
    asio::awaitable<Outcome<Ok>> write_end(std::string_view payload);

    /// Why the piece must not go on, if it must not; what goes on is counted.
    [[nodiscard]] std::optional<Failure> objection_to(const BodyPiece& piece);
    [[nodiscard]] Failure over_limit(policy::Reason reason, const std::string& what) const;
    [[nodiscard]] Failure cut_off(BodyPiece::State state) const;
    /// It could not be written to.
    [[nodiscard]] Failure client_gone();
    [[nodiscard]] bool scrubs() const noexcept { return request_.scrubbing == Scrubbing::on; }
    /// Valid until it is called again.
    const ScrubSet& current_set();
    void begin(const ResponseHead& head, BodyLength announced, Follows follows);
    void progress() { link_.watchdog().arm(deadlines_.idle); }

    Link& link_;
    ClientSide& client_;
    UpstreamSide& upstream_;
    Request request_;
    const InjectedValues& injected_;
    std::shared_ptr<const ScrubSet> set_; ///< in use
    const Deadlines& deadlines_;
    RelayEnd end_;
    std::optional<Failure> client_failure_;
    bool over_ = false;
    bool asked_for_part_ = false;
};

} // namespace aduana::proxy
