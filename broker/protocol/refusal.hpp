// SPDX-License-Identifier: Apache-2.0
// Why the broker does not do what it was asked for.
#pragma once

#include <cstdint>
#include <string>

namespace aduana::broker {

enum class RefusalCode : std::uint8_t {
    bad_request = 1,
    not_permitted,
    no_such_task,
    no_binding,
    destination_not_bound,
    source_unavailable,
    expired,
    invalid_file,
    no_other_value, ///< than the one that was rejected
    foreign_key,    ///< the request was not signed with this task's placeholder, or for what the credential is not
};
struct Refused {
    RefusalCode code = RefusalCode::bad_request;
    std::string detail; ///< for the operator: names the credential, never its value
};

} // namespace aduana::broker
