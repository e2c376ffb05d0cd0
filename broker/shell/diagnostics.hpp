// SPDX-License-Identifier: Apache-2.0
// What the broker tells its operator, one line on stderr each. Texts never hold a value.
#pragma once

#include "policy/base/result.hpp"

#include <string_view>

namespace aduana::broker {

/// Once, before any other function of this file.
void start_diagnostics();
/// Something the operator should mend; the work goes on.
void warn(std::string_view text);
/// The end of this process or of a peer.
void complain(const Error& error);

} // namespace aduana::broker
