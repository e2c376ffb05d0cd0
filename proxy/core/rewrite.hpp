// SPDX-License-Identifier: Apache-2.0
// Heads as they go on: hop-by-hop fields and the client's credentials off, the lease's fields on.
#pragma once

#include "broker/protocol/messages.hpp"
#include "policy/base/result.hpp"
#include "proxy/core/body.hpp"
#include "proxy/core/head.hpp"
#include "proxy/core/scrub.hpp"
#include "proxy/core/target.hpp"

#include <string>

namespace aduana::proxy {

/// Appends the request head that goes upstream. The request line has origin-form with the bytes of `target`; Host is
/// rewritten to the target (without a default port); everything hop-by-hop or named by Connection is left out before
/// anything is injected (RFC 9110 section 7.6.1), and so are Proxy-*, TE, Upgrade, Aduana-* and, with `lease`, the
/// client's own Authorization, Range, If-Range, A-IM and every field that the lease sets (also with "_" for "-").
/// Overrides (X-HTTP-Method-Override, X-Original-URL and their kin) are left out: what was judged is what runs. No name
/// gets past by "_" for "-".
/// `scrubbing` asks the upstream for identity coding and, like `lease`, for whole bodies (no Range, If-Range, A-IM).
/// The caller wipes `out` after sending: it may hold a secret. Fails with credential_unavailable if an injected field
/// holds a byte that could end its line, and with framing_invalid for an Expect other than 100-continue.
enum class Scrubbing : std::uint8_t { off, on };
[[nodiscard]] Outcome<Ok> write_request_head(std::string& out, const RequestHead& head, const Target& target,
                                             const BodyLength& body, const broker::Lease* lease, Scrubbing scrubbing);

/// How the response body goes on to the client.
enum class ResponseFraming : std::uint8_t { none, counted, chunked, until_close };
struct ResponsePlan {
    ResponseFraming framing = ResponseFraming::none;
    std::uint64_t size = 0; ///< for counted
    bool close = false;     ///< the client's connection ends after this response
};
/// Appends the response head that goes to the client; field values and the reason phrase pass the scrub set. Left out:
/// hop-by-hop fields, Proxy-*, Alt-Svc, Aduana-*, fields whose name holds a secret, and the framing, which `plan` sets
/// anew. Returns occurrences replaced.
std::uint64_t write_response_head(std::string& out, const ResponseHead& head, const ResponsePlan& plan,
                                  const ScrubSet& scrub);

/// 1xx (but 101) as it is passed on. Only status line and Link fields, scrubbed.
std::uint64_t write_interim_head(std::string& out, const ResponseHead& head, const ScrubSet& scrub);

/// The connection may carry another request after this one (RFC 9112 section 9.3).
[[nodiscard]] bool wants_keep_alive(const RequestHead& head);
[[nodiscard]] bool wants_keep_alive(const ResponseHead& head);

} // namespace aduana::proxy
