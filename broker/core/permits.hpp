// SPDX-License-Identifier: Apache-2.0
// Who may send what, and when: one table, and everything that is not in it is refused.
#pragma once

#include "broker/protocol/messages.hpp"

#include <cstdint>

namespace aduana::broker {

enum class Peer : std::uint8_t { control, proxy };
[[nodiscard]] std::string_view name_of(Peer peer) noexcept;

/// `fresh` until the first task has been opened. It does not come back: a proxy may still ask about a task that has
/// just ended, and gets a refusal for that.
enum class Phase : std::uint8_t { fresh, serving };

/// A peer that sends what is not permitted is broken or taken over: the caller hangs up.
[[nodiscard]] bool permitted(MessageType type, Peer peer, Phase phase) noexcept;

} // namespace aduana::broker
