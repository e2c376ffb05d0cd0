// SPDX-License-Identifier: Apache-2.0
// Messages of the broker's sockets to frames and back (policy/base/wire).
#pragma once

#include "broker/protocol/messages.hpp"
#include "policy/base/wire.hpp"

namespace aduana::broker {

/// The frame's buffer is wiped when the Writer ends: some messages carry secrets.
[[nodiscard]] wire::Writer encode(const Message& message, std::uint64_t request);

struct Decoded {
    std::uint64_t request = 0;
    Message message;
};
/// `frame` is wiped by its owner. Errors name the message and the field.
[[nodiscard]] Result<Decoded> decode(std::string_view frame);

} // namespace aduana::broker
