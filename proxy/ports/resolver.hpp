// SPDX-License-Identifier: Apache-2.0
// Names to addresses, for the proxy's own dialling.
#pragma once

#include "policy/host.hpp"
#include "proxy/core/failure.hpp"
#include "proxy/ports/stream.hpp"

#include <vector>

namespace aduana::proxy {

class Resolver {
public:
    virtual ~Resolver() = default;
    /// The operator's fixed addresses, the hosts file, then DNS. An IP literal is itself. Failure: name_unresolved.
    virtual asio::awaitable<Outcome<std::vector<policy::Ip>>> resolve(const policy::Host& name) = 0;
};

} // namespace aduana::proxy
