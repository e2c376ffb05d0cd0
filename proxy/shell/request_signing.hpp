// SPDX-License-Identifier: Apache-2.0
// A request is signed by the broker before it is sent, and its body, where that carries signatures too, on its way.
//
//   claim of the client ─▶ head without its signature ─▶ Sign ─▶ Signed ─▶ fields, or query ─▶ chunks
#pragma once

#include "proxy/core/aws_claim.hpp"
#include "proxy/shell/client_with_body.hpp"
#include "proxy/shell/link.hpp"
#include "proxy/shell/task.hpp"

#include <memory>

namespace aduana::proxy {

class RequestSigning {
public:
    /// A body that has to be hashed before its head is sent is held whole, up to this many bytes.
    static constexpr std::size_t max_held_body = 1024 * 1024;

    /// Signs `request`, which was made from `head` for `wanted`, under `lease`. It borrows from this object from then
    /// on. Failures: credential_foreign, credential_unavailable, framing_invalid, limit_upload.
    asio::awaitable<Outcome<Ok>> sign(Task& task, Link& link, ClientSide& client, const RequestHead& head,
                                      const broker::Acquire& wanted, const broker::Lease& lease,
                                      OutgoingRequest& request);

    /// Null: the client itself.
    [[nodiscard]] ClientSide* client() const noexcept { return client_.get(); }

private:
    asio::awaitable<Outcome<Ok>> sign_for_aws(Task& task, Link& link, ClientSide& client, const RequestHead& head,
                                              broker::Sign sign, OutgoingRequest& request);
    asio::awaitable<Outcome<Ok>> sign_by_hash(Task& task, Link& link, ClientSide& client, broker::Signing kind,
                                              broker::Sign sign, OutgoingRequest& request);
    /// The digest of the whole body, which is held. A client that waits to be asked for it is asked.
    asio::awaitable<Outcome<std::string>> hold(Link& link, ClientSide& client, const Deadlines& deadlines,
                                               OutgoingRequest& request);
    asio::awaitable<Outcome<Ok>> ask(Task& task, const broker::Sign& sign, OutgoingRequest& request);

    broker::Signed signed_;
    std::string plain_query_;
    Secret signed_query_;
    std::unique_ptr<ClientSide> client_;
};

} // namespace aduana::proxy
