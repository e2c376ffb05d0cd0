// SPDX-License-Identifier: Apache-2.0
// The proxy's side of the broker's socket, without the socket: requests to frames, datagrams to answers.
#pragma once

#include "broker/protocol/messages.hpp"
#include "policy/base/result.hpp"
#include "policy/base/wire.hpp"

#include <utility>

namespace aduana::broker {

class CredentialSession {
public:
    /// A request's id, under which its answer comes, and its frame. The frame is empty if host, method and path are too
    /// long for one message: then there is no credential for the request.
    [[nodiscard]] std::pair<std::uint64_t, wire::Writer> acquire(const Acquire& request);
    /// The same for a request that is to be signed.
    [[nodiscard]] std::pair<std::uint64_t, wire::Writer> sign(const Sign& request);
    /// There is no answer.
    [[nodiscard]] wire::Writer release(const Release& request);

    using Answer = std::variant<Lease, Refused, Signed>;
    /// `datagram` is wiped by its owner. An error means that the socket cannot be trusted any more: close it, and give
    /// every request that waits a refusal.
    [[nodiscard]] Result<std::pair<std::uint64_t, Answer>> on_datagram(std::string_view datagram);

private:
    std::uint64_t next_request_ = 1;
};

} // namespace aduana::broker
