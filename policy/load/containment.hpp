// SPDX-License-Identifier: Apache-2.0
// Whether a bound lets through everything that (a part of) a rule does.
#pragma once

#include "policy/credentials.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace aduana::policy::load {

[[nodiscard]] bool covers_host(const CredentialBound& bound, const HostPattern& host);
[[nodiscard]] bool covers_port(const CredentialBound& bound, std::uint16_t port);
/// No method stands for all of them.
[[nodiscard]] bool covers_method(const CredentialBound& bound, std::optional<std::string_view> method);
/// Null stands for all paths.
[[nodiscard]] bool covers_path(const CredentialBound& bound, const PathPattern* path);

/// Every path that `inner` matches is matched by `outer`. Never true by mistake; false for a few exotic pairs for which
/// it holds, such as "/**/*" and "/*/**".
[[nodiscard]] bool contains(std::string_view outer, std::string_view inner);

} // namespace aduana::policy::load
