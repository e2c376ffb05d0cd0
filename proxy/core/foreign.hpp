// SPDX-License-Identifier: Apache-2.0
// The client's own credentials in a request that gets one from the broker: somebody else's account at an allowed host.
#pragma once

#include "broker/protocol/messages.hpp"
#include "proxy/core/head.hpp"
#include "proxy/core/target.hpp"

#include <optional>
#include <string>

namespace aduana::proxy {

/// A field in which services look for a credential: Authorization, X-Api-Key and their kin, and Cookie. A request with
/// a lease goes on without the client's.
[[nodiscard]] bool is_credential_field(std::string_view name);

struct ForeignCredential {
    std::string place;       ///< "Authorization", "the parameter key of its query"
    bool replaceable = true; ///< it goes away when the lease is put in
};

/// What the client has sent as a credential that is neither empty nor the lease's placeholder (alone, behind a scheme
/// such as Bearer or token, as user or password of Basic). Cookies are no reason: programs send back what they were
/// given, and they are left out anyway; but for the one that the lease sets.
[[nodiscard]] std::optional<ForeignCredential> find_foreign(const RequestHead& head, const Target& target,
                                                            const broker::Lease& lease, std::string_view placeholder);

} // namespace aduana::proxy
