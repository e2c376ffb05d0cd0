// SPDX-License-Identifier: Apache-2.0
// Messages of `aduana serve` to frames of policy/base/wire and back.
#pragma once

#include "cli/serve/messages.hpp"
#include "policy/base/wire.hpp"

namespace aduana::serve {

[[nodiscard]] MessageType type_of(const Message& message) noexcept;
[[nodiscard]] std::string_view name_of(MessageType type) noexcept;

/// Request 0 is kept for what nobody asked for.
[[nodiscard]] wire::Writer encode(const Message& message, std::uint64_t request);

struct Decoded {
    std::uint64_t request = 0;
    Message message;
};
/// Strict: an error means that the peer cannot be trusted with this socket.
[[nodiscard]] Result<Decoded> decode(std::string_view frame);

} // namespace aduana::serve
