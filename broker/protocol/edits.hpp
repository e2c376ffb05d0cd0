// SPDX-License-Identifier: Apache-2.0
// What a lease puts into a request.
#pragma once

#include "policy/base/secret.hpp"

#include <cstdint>
#include <string>

namespace aduana::broker {

/// Set this header field to this value, replacing all of that name.
struct HeaderField {
    std::string name;
    Secret value;
};
/// What is changed in a request besides its header fields.
enum class EditOp : std::uint8_t {
    query = 1,  ///< the parameter `name`
    path,       ///< the segment that is `name` with the task's placeholder instead of its "{}"
    form_field, ///< the field `name`, which holds the placeholder
    json_field, ///< the string at the JSON pointer `name`, which is the placeholder
    cookie,     ///< the cookie `name`
    websocket_text,
    basic_password, ///< of Authorization: Basic, which is the placeholder
};
struct Edit {
    EditOp op = EditOp::query;
    std::string name;
    Secret value; ///< as it is sent there: percent-encoded, with the escapes of JSON, or bare
};

} // namespace aduana::broker
