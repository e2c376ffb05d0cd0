// SPDX-License-Identifier: Apache-2.0
// The values of one task's credentials, checked before anything is done with them.
#pragma once

#include "policy/base/result.hpp"
#include "policy/base/secret.hpp"

#include <map>
#include <string>

namespace aduana::broker {

/// In bytes. Shorter values cannot be told from ordinary text in a response; longer ones fit into no request head.
inline constexpr std::size_t min_secret = 8;
inline constexpr std::size_t max_secret = 8 * 1024;
inline constexpr std::size_t max_identity = 32 * 1024;

/// Visible ASCII within these bounds: a line end, NUL or space inside would end the header field or split the request.
/// An error names the credential and the position, never the value.
[[nodiscard]] Result<Ok> check_value(const std::string& credential, std::string_view value);

class Vault {
public:
    /// Drops exactly one line end at the end of `value` (editors add it), then checks it.
    [[nodiscard]] Result<Ok> put(const std::string& credential, const Secret& value);
    /// A value that was checked in another way, and is kept as it is.
    void keep(const std::string& credential, const Secret& value);
    /// Null if there is none. Valid until the next `put`.
    [[nodiscard]] const Secret* find(const std::string& credential) const;

private:
    std::map<std::string, Secret> values_;
};

} // namespace aduana::broker
