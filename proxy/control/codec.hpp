// SPDX-License-Identifier: Apache-2.0
// Messages of the control socket to frames and back (policy/base/wire).
#pragma once

#include "policy/base/wire.hpp"
#include "proxy/control/messages.hpp"

namespace aduana::proxy::control {

[[nodiscard]] wire::Writer encode(const Message& message, std::uint64_t request);

struct Decoded {
    std::uint64_t request = 0;
    Message message;
};
[[nodiscard]] Result<Decoded> decode(std::string_view frame);

} // namespace aduana::proxy::control
