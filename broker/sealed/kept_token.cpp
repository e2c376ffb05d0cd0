// SPDX-License-Identifier: Apache-2.0
// The box of a token: what the order says, then the token.
#include "broker/sealed/kept_token.hpp"

namespace aduana::broker {

Result<std::string> seal_token(const KeepOrder& order, const Secret& token)
{
    std::string value;
    value.reserve(order.before.size() + token.reveal().size());
    value += order.before;
    value += token.reveal();
    const SealedSecret secret{order.credential, {}, Secret::copy_of(value)};
    wipe(value);
    return seal(secret, order.public_key);
}

} // namespace aduana::broker
