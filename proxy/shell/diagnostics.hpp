// SPDX-License-Identifier: Apache-2.0
// Lines on stderr for the operator of the proxy process. The journal is another thing.
#pragma once

#include <string_view>

namespace aduana::proxy::diagnostics {

/// Prefixed with "aduana-proxy:". The text holds no secret and no bytes of a sandbox that were not checked.
void warn(std::string_view text);
void fail(std::string_view text);

} // namespace aduana::proxy::diagnostics
