// SPDX-License-Identifier: Apache-2.0
// A refresh token that is kept for the next refresh, sealed alike by whoever sees it first.
#pragma once

#include "broker/sealed/sealed_secret.hpp"

#include <cstdint>
#include <string>

namespace aduana::broker {

/// Everything that is needed to keep a token but the token and the file.
struct KeepOrder {
    std::string public_key; ///< 32 bytes
    std::string credential; ///< the box opens under this name only
    std::string before;     ///< what stands before the token in the box
    std::uint8_t slot = 0;  ///< 0 or 1: where the newest is not

    friend bool operator==(const KeepOrder&, const KeepOrder&) = default;
};

/// Errors are those of `seal`.
[[nodiscard]] Result<std::string> seal_token(const KeepOrder& order, const Secret& token);

} // namespace aduana::broker
