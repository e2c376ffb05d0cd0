// SPDX-License-Identifier: Apache-2.0
// An https URL that names one server and nothing that a reader could mistake: for the endpoints of issuers.
#pragma once

#include "policy/host.hpp"

#include <string>
#include <string_view>

namespace aduana::policy {

struct HttpsUrl {
    Host host;
    std::uint16_t port = 443;
    std::string target; ///< path and query, as written; at least "/"
    std::string text;   ///< the whole, as written: issuers compare it byte by byte (RFC 7523 section 3, `aud`)

    /// Refused: other schemes, user information, fragments, characters that RFC 3986 does not allow raw, a backslash,
    /// port 0, more than 2048 bytes. The error's remedy says what to write.
    [[nodiscard]] static Result<HttpsUrl> parse(std::string_view text);

    /// `target` without the query.
    [[nodiscard]] std::string path() const { return target.substr(0, target.find('?')); }

    friend bool operator==(const HttpsUrl&, const HttpsUrl&) = default;
};

} // namespace aduana::policy
