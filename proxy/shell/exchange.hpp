// SPDX-License-Identifier: Apache-2.0
// The life of one request.
#pragma once

#include "proxy/core/placement.hpp"
#include "proxy/core/second_try.hpp"
#include "proxy/shell/attempt_record.hpp"
#include "proxy/shell/connect.hpp"
#include "proxy/shell/edited_body.hpp"
#include "proxy/shell/link.hpp"
#include "proxy/shell/relay.hpp"
#include "proxy/shell/request_signing.hpp"
#include "proxy/shell/sides.hpp"

namespace aduana::proxy {

class Exchange {
public:
    /// All borrowed, and they outlive the exchange.
    Exchange(Task& task, Link& link, ClientSide& client, const Scope& scope)
        : task_(task), link_(link), client_(client), scope_(scope)
    {
    }

    ~Exchange()
    {
        client_.when_left(nullptr);
        release();
        link_.watchdog().unbind();
    }
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;

    /// Answers one request, whose head was read, or could not be. It leaves exactly one record.
    asio::awaitable<void> run(const Outcome<RequestHead>& head);

private:
    using Upstream = std::unique_ptr<UpstreamSide>;
    /// An allowed request.
    struct Judged {
        const RequestHead& head;
        std::string_view method; ///< as it was judged
        const Target& target;
        const policy::Rule& rule;
        const WebsocketOffer* websocket; ///< null: an ordinary request
    };

    /// The lease of the rule's credential, where the server asks for it in the handshake: it has proven its name then.
    class LeasedIdentity final : public IdentitySource {
    public:
        LeasedIdentity(Exchange& exchange, AttemptRecord& record, const Judged& judged)
            : exchange_(exchange), record_(record), judged_(judged)
        {
        }
        asio::awaitable<Outcome<const Secret*>> identity() override;

    private:
        Exchange& exchange_;
        AttemptRecord& record_;
        const Judged& judged_;
    };

    asio::awaitable<void> judge(AttemptRecord& record, const RequestHead& head);
    asio::awaitable<void> answer_metadata(AttemptRecord& record, const RequestHead& head, const Target& target);
    /// Records each; the failure is of one that is refused.
    std::optional<Failure> see(const AttemptRecord& record, const std::vector<Sighting>& sightings);
    asio::awaitable<void> forward(AttemptRecord& record, Judged judged);
    asio::awaitable<Outcome<RelayEnd>> dial_and_ask(AttemptRecord& record, const Judged& judged, Upstream& upstream);
    asio::awaitable<Outcome<Upstream>> dial(const Judged& judged, Connections which, IdentitySource& identities);
    /// The request with its credential, and its answer: once more on another connection where the first had gone, and
    /// with another lease where the status told so. `upstream` is then the connection of the last.
    asio::awaitable<Outcome<RelayEnd>> ask(AttemptRecord& record, const Judged& judged, Upstream& upstream,
                                           IdentitySource& identities);
    /// The credential of the rule, if any; once. After the dial: no secret exists before its destination is proven.
    asio::awaitable<Outcome<Ok>> lease(AttemptRecord& record, const Judged& judged);
    asio::awaitable<Outcome<Ok>> lease_until_departure(AttemptRecord& record, const Judged& judged);
    /// Instead of the rule's credential, where the request brings the placeholder of one that was derived.
    Outcome<Ok> use_derived(AttemptRecord& record, const Judged& judged);
    /// What the client writes in place of the credential; empty: nothing stands for it.
    [[nodiscard]] std::string_view placeholder() const;
    void take(AttemptRecord& record, broker::Lease lease);
    [[nodiscard]] broker::Acquire acquire_for(const Judged& judged) const;
    /// The request as it goes on, with the credential of the rule in it.
    asio::awaitable<Outcome<OutgoingRequest>> prepare(AttemptRecord& record, const Judged& judged,
                                                      const UpstreamSide& upstream);
    /// A credential of the client's own is left out when the request is written, and on record; or it is a reason to
    /// refuse.
    [[nodiscard]] Outcome<Ok> leave_out_foreign(AttemptRecord& record, const Judged& judged,
                                                const broker::Lease& lease) const;
    /// In head and body; nothing is written yet.
    asio::awaitable<Outcome<Ok>> place_credential(AttemptRecord& record, const Judged& judged,
                                                  const broker::Lease& lease);
    /// A lease that is an identity is one of this connection.
    [[nodiscard]] Outcome<Ok> check_identity(const UpstreamSide& upstream) const;
    /// From the first request on, not from the first injection: what is asked now may still be answered when the task
    /// has used a credential, and an answer in slices could not be scrubbed then.
    [[nodiscard]] Scrubbing scrubbing() const noexcept;
    /// The body, where the credential goes into it.
    asio::awaitable<Outcome<Ok>> edit_body(const Judged& judged);
    /// A placeholder in the body of a request for another token.
    asio::awaitable<Outcome<Ok>> fill_refresh_token(const Judged& judged);
    /// The rules that the answer comes under.
    [[nodiscard]] std::vector<const policy::CaptureRule*> captures(const Judged& judged) const;
    /// The body of an answer, with placeholders for the credentials in it.
    Outcome<std::string> capture(const AttemptRecord& record, const CaptureContext& context,
                                 const std::vector<const policy::CaptureRule*>& rules, std::string_view body);
    /// The path with the credential in it is one that the same rule lets through.
    [[nodiscard]] Outcome<Ok> judge_again(const Judged& judged) const;
    [[nodiscard]] Outcome<Ok> judge_range(const Judged& judged, const broker::Lease& lease) const;
    /// Whose body goes on.
    [[nodiscard]] ClientSide& client() noexcept;
    asio::awaitable<RelayEnd> relay(AttemptRecord& record, UpstreamSide& upstream, const OutgoingRequest& request,
                                    const Judged& judged);
    /// The credential is the issuer's, and the request can be sent twice.
    [[nodiscard]] bool may_try_again(const Judged& judged);
    /// What `status` tells of the credential is looked into: true if the request is to be sent again.
    asio::awaitable<bool> reconsider(AttemptRecord& record, const Judged& judged, int status);
    /// After the handshake of a WebSocket.
    asio::awaitable<void> converse(AttemptRecord& record, UpstreamSide& upstream, RelayEnd end,
                                   const policy::RuleLimits& limits);
    asio::awaitable<void> conclude(AttemptRecord& record, RelayEnd end, const policy::Rule& rule);
    asio::awaitable<void> refuse(AttemptRecord& record, Failure failure);
    asio::awaitable<void> refuse(AttemptRecord& record, Refusal refusal);

    /// What the rule's limits tell before anything is sent.
    [[nodiscard]] Outcome<Ok> admit(const policy::Rule& rule, policy::Scheme scheme);
    void release();

    Task& task_;
    Link& link_;
    ClientSide& client_;
    const Scope& scope_;
    Deadlines deadlines_{};
    RuleUsage::Place place_;
    std::optional<broker::Lease> lease_;
    std::vector<policy::CaptureRule> captures_; ///< of the lease
    std::string derived_placeholder_;           ///< of the derived credential in use; empty: none is
    broker::Edit refresh_;                      ///< see `fill_refresh_token`
    Placement placement_;                       ///< of the lease's edits
    std::optional<EditedBody> edited_;
    RequestSigning signing_;
    SecondTry second_try_;
};

/// The destination of a CONNECT on the proxy port, which the connection answers; nothing where it was refused because
/// it names none.
asio::awaitable<std::optional<policy::Authority>> connect_destination(Task& task, ClientSide& client,
                                                                      const RequestHead& head);

} // namespace aduana::proxy
