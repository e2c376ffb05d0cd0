// SPDX-License-Identifier: Apache-2.0
// What the operator's file says about connections that the broker's courier makes, too.
#pragma once

#include "policy/operator_settings.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace aduana::broker {

struct CourierSettings {
    std::string roots; ///< PEM: the system's and the operator's own
    std::map<std::string, std::vector<policy::Ip>> hosts;
    std::optional<policy::ParentProxy> parent; ///< its credential is not used: the courier has none
};

} // namespace aduana::broker
