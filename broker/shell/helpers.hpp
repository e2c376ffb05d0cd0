// SPDX-License-Identifier: Apache-2.0
// The processes beside the broker, as descriptors of our ends of the pairs to them.
#pragma once

#include "policy/base/fd.hpp"

namespace aduana::broker {

/// None: what they would do cannot be done.
struct Helpers {
    UniqueFd courier; ///< has a network, and asks issuers
    UniqueFd runner;  ///< may execute, and runs programs that print credentials
};

/// The same before they were looked at; -1: none.
struct HelperNumbers {
    int courier = -1;
    int runner = -1;
};

} // namespace aduana::broker
