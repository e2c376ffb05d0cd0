// SPDX-License-Identifier: Apache-2.0
// Where leases come from.
#pragma once

#include "broker/protocol/messages.hpp"
#include "proxy/core/failure.hpp"
#include "proxy/ports/stream.hpp"

namespace aduana::proxy {

class CredentialSource {
public:
    virtual ~CredentialSource() = default;
    /// Failure: credential_unavailable, with the broker's detail. Never a lease that was not asked for.
    virtual asio::awaitable<Outcome<broker::Lease>> acquire(const broker::Acquire& request) = 0;
    virtual void release(const broker::Release& release) = 0;
};

} // namespace aduana::proxy
