// SPDX-License-Identifier: Apache-2.0
// The table of permitted messages.
#include "broker/core/permits.hpp"

#include <algorithm>
#include <array>

namespace aduana::broker {
namespace {

struct Permit {
    MessageType type;
    Peer peer;
    Phase phase;
    friend bool operator==(const Permit&, const Permit&) = default;
};

// The control peer never gets a lease: whoever opens tasks has no business with values. The proxy never opens or
// closes one: a proxy that was taken over cannot grant itself a credential.
constexpr std::array permits = {
    Permit{MessageType::task_open, Peer::control, Phase::fresh},
    Permit{MessageType::task_open, Peer::control, Phase::serving},
    Permit{MessageType::task_close, Peer::control, Phase::serving},
    Permit{MessageType::acquire, Peer::proxy, Phase::serving},
    Permit{MessageType::release, Peer::proxy, Phase::serving},
    Permit{MessageType::sign, Peer::proxy, Phase::serving},
};

} // namespace

std::string_view name_of(Peer peer) noexcept
{
    return peer == Peer::control ? "control" : "proxy";
}

bool permitted(MessageType type, Peer peer, Phase phase) noexcept
{
    return std::ranges::find(permits, Permit{type, peer, phase}) != permits.end();
}

} // namespace aduana::broker
