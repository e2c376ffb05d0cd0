// SPDX-License-Identifier: Apache-2.0
// Messages of the control socket to frames and back (policy/base/wire).
#pragma once

#include "policy/base/wire.hpp"
#include "proxy/control/messages.hpp"

namespace aduana::proxy::control {

/// Most listeners of one task: together with the files of TaskOpen they fit into one datagram.
inline constexpr std::uint32_t max_listeners = 32;
/// Most entries of `TaskClosed::reached` and of `TaskClosed::refused`; fewer where long names fill the frame.
inline constexpr std::uint32_t max_destinations = 1000;

/// Most entries of `TaskClose::revoked`.
inline constexpr std::uint32_t max_revoked = 2048;

[[nodiscard]] MessageType type_of(const Message& message) noexcept;
/// As in the comment of messages.hpp ("TaskOpen").
[[nodiscard]] std::string_view name_of(MessageType type) noexcept;

/// The frame is empty if the message does not fit into one. `TaskClose`, `TaskClosed` and `Failed` are cut so that they
/// fit.
[[nodiscard]] wire::Writer encode(const Message& message, std::uint64_t request);
/// The same without a copy of the journal key, which nobody would wipe.
[[nodiscard]] wire::Writer encode_open(const TaskOpen& message, std::uint64_t request);

struct Decoded {
    std::uint64_t request = 0;
    Message message;
};
/// Errors name the message and the field.
[[nodiscard]] Result<Decoded> decode(std::string_view frame);

} // namespace aduana::proxy::control
