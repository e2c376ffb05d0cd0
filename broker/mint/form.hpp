// SPDX-License-Identifier: Apache-2.0
// The body of a call as a form, and its fields.
#pragma once

#include "broker/mint/dialogue.hpp"
#include "broker/mint/secret_writer.hpp"

#include <string_view>

namespace aduana::broker {

/// application/x-www-form-urlencoded (RFC 6749 appendix B).
class Form {
public:
    void add(std::string_view name, std::string_view value)
    {
        if (!body_.view().empty())
            body_.put("&");
        body_.put_form(name).put("=").put_form(value);
    }
    [[nodiscard]] Secret take() { return body_.take(); }

private:
    SecretWriter body_;
};

[[nodiscard]] inline HeaderField field(std::string name, std::string_view value)
{
    return {std::move(name), Secret::copy_of(value)};
}

/// A POST of `form` that asks for JSON.
[[nodiscard]] inline Call post_form(const Endpoint& endpoint, Form& form)
{
    Call call{"POST", endpoint, {}, form.take(), {}};
    call.fields.push_back(field("Accept", "application/json"));
    call.fields.push_back(field("Content-Type", "application/x-www-form-urlencoded"));
    return call;
}

} // namespace aduana::broker
