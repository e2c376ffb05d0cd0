// SPDX-License-Identifier: Apache-2.0
// Names that say where they lead before anybody has looked them up.
#pragma once

#include "policy/host.hpp"

namespace aduana::policy {

/// "localhost", or a name below it (RFC 6761 section 6.3).
[[nodiscard]] bool names_loopback(const Host& name);

/// The name, or one below it, is that of a cloud's metadata service.
[[nodiscard]] bool names_metadata_service(const Host& name);

} // namespace aduana::policy
