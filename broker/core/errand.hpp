// SPDX-License-Identifier: Apache-2.0
// What the broker has others do: it has no network, and may execute nothing.
#pragma once

#include "broker/core/token_keeper.hpp"
#include "broker/mint/carriage.hpp"

namespace aduana::broker {

/// A call to an issuer, for the process that has a network, or a program for the one that may execute.
struct Errand {
    std::uint64_t id = 0;
    std::variant<Call, Run> call;
    std::optional<TokenKeeper::Lent> keep{}; ///< a refresh token may come with the answer
};

/// The call that takes something back has done so: RFC 7009 section 2.2, and issuers that do not know a token any more.
[[nodiscard]] inline bool took_back(const Carried& carried)
{
    const auto* answer = std::get_if<Answer>(&carried);
    return answer != nullptr && (answer->status / 100 == 2 || answer->status == 401 || answer->status == 404);
}

} // namespace aduana::broker
