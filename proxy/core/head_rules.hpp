// SPDX-License-Identifier: Apache-2.0
// What fields must not say, however well they are spelled: anything that two readers could take for different lengths,
// destinations or identities.
#pragma once

#include "proxy/core/head.hpp"

#include <string_view>

namespace aduana::proxy {

/// A fixed sentence that says what is wrong, or empty.
[[nodiscard]] std::string_view fault_of(const RequestHead& head);
[[nodiscard]] std::string_view fault_of(const ResponseHead& head);

} // namespace aduana::proxy
