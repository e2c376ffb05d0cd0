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
    /// Under a lease that signs. Failure: credential_foreign where the request is not signed as it has to be, else
    /// credential_unavailable.
    virtual asio::awaitable<Outcome<broker::Signed>> sign(const broker::Sign& request) = 0;
    virtual void release(const broker::Release& release) = 0;
};

} // namespace aduana::proxy
