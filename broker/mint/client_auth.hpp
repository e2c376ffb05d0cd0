// SPDX-License-Identifier: Apache-2.0
// How a client shows an OAuth server who it is (RFC 6749 section 2.3, RFC 7523, RFC 8705).
#pragma once

#include "broker/mint/form.hpp"
#include "broker/mint/secrets.hpp"

#include <variant>

namespace aduana::broker {

class ClientAuthentication {
public:
    [[nodiscard]] static Result<ClientAuthentication> make(const policy::OAuth2Source& source,
                                                           const SecretInputs& inputs);

    /// Adds what identifies the client: before the form becomes the call's body, and after.
    void add_to(Form& form, const MintContext& context) const;
    void add_to(Call& call) const;

private:
    struct Public {};
    struct Basic {
        Secret value; ///< the whole field
    };
    struct Post {
        Secret secret;
    };
    struct Assertion {
        Signer signer;
        policy::Claims claims;
    };
    using Method = std::variant<Public, Basic, Post, Assertion, ClientIdentity>;
    struct Maker;

    std::string client_id_;
    Method method_;
};

} // namespace aduana::broker
