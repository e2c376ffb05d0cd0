// SPDX-License-Identifier: Apache-2.0
// Heads as they go on, whatever version of HTTP carries them: hop-by-hop fields and the client's credentials off, the
// lease's fields on, secrets out.
#pragma once

#include "broker/protocol/messages.hpp"
#include "policy/base/result.hpp"
#include "proxy/core/body.hpp"
#include "proxy/core/content_decoder.hpp"
#include "proxy/core/head.hpp"
#include "proxy/core/scrub.hpp"
#include "proxy/core/target.hpp"
#include "proxy/core/websocket_handshake.hpp"

#include <string>
#include <vector>

namespace aduana::proxy {

struct OutgoingField {
    std::string_view name;
    std::string_view value;
    bool injected = false; ///< a secret, never to be put into a table of compressed fields (RFC 7541 section 7.1)
};

/// Borrows from the head, the target and the lease that it was made of: no copy of a secret is made.
struct OutgoingRequest {
    std::string_view method;
    policy::Scheme scheme = policy::Scheme::https;
    std::string authority;  ///< of the target, without a default port
    std::string_view path;  ///< the bytes that were judged
    std::string_view query; ///< with its "?", or empty
    std::vector<OutgoingField> fields;
    bool target_injected = false;              ///< path or query hold a secret: as OutgoingField::injected
    bool takes_trailers = false;               ///< the client said "TE: trailers"
    const WebsocketOffer* websocket = nullptr; ///< it is asked for, by the version of HTTP that carries the request
};

/// What goes upstream. Everything hop-by-hop or named by Connection is left out before anything is injected (RFC 9110
/// section 7.6.1), and so are Host, Proxy-*, TE, Upgrade, Sec-WebSocket-*, Aduana-* and, with `lease`, the client's own
/// credentials (is_credential_field), Range, If-Range, A-IM and every field that the lease sets (also with "_" for
/// "-"). Overrides (X-HTTP-Method-Override, X-Original-URL and their kin) are left out: what was judged is what runs.
/// So is a Referer or Origin that tells a placeholder. No name gets past by "_" for "-".
/// With a lease that signs for AWS, Range and If-Range stay: what signs is never sent, so that no slice of an answer
/// can hold it, and programs that fetch an object in slices do not notice that they got all of it each time. That other
/// credentials may stand in the object is the caller's to think of (asks_for_range).
/// `scrubbing` asks the upstream for identity coding (of gRPC's and Connect's messages, too) and, like `lease`, for
/// whole bodies (no Range, If-Range, A-IM, nor what some servers call these).
/// Fails with credential_unavailable if an injected field holds a byte that could end its line, and with
/// framing_invalid for an Expect other than 100-continue.
enum class Scrubbing : std::uint8_t { off, on };
[[nodiscard]] Outcome<OutgoingRequest> rewrite_request(const RequestHead& head, const Target& target,
                                                       const broker::Lease* lease, Scrubbing scrubbing);

/// Range or If-Range, in any spelling.
[[nodiscard]] bool asks_for_range(const Fields& fields);

/// Sets fields that were made after the head was written: the client's own of these names go. Borrows. Fails as above.
[[nodiscard]] Outcome<Ok> set_fields(OutgoingRequest& request, const std::vector<broker::HeaderField>& fields);

/// A response head for the client, without its framing.
struct OutgoingResponse {
    int status = 0;
    std::string reason_phrase;
    FieldBuffer fields;
    std::uint64_t scrubbed = 0; ///< occurrences replaced
};

/// Whether the request had a credential injected.
enum class Credentialed : std::uint8_t { no, yes };

/// Field values and the reason phrase pass the scrub set. Left out: hop-by-hop fields and framing, Proxy-*, Alt-Svc,
/// Aduana-*, and fields whose name holds a secret; in the answer to a credentialed request also what would hand the
/// session of its owner to the sandbox, or end it (Set-Cookie, Authentication-Info, Clear-Site-Data).
[[nodiscard]] OutgoingResponse rewrite_response(const ResponseHead& head, const ScrubSet& scrub,
                                                Credentialed credentialed);

/// The head of an answer whose body is searched, as the body will be: digests of what the server sent are left out
/// (RFC 9530, RFC 1864; those of object stores in answers to GET, since others speak of what was sent to them), and so
/// is a content coding that was taken off. Then the entity tag is weak (RFC 9110 section 8.8.1): `etag` will hold it.
[[nodiscard]] ResponseHead describe_searched(ResponseHead head, std::string_view method, ContentCoding coding,
                                             std::string& etag);

/// 1xx (but 101) as it is passed on. Only Link fields, scrubbed.
[[nodiscard]] OutgoingResponse rewrite_interim(const ResponseHead& head, const ScrubSet& scrub);

/// Trailer fields that may follow a response (RFC 9110 section 6.5.1): none that frames, routes or authenticates.
[[nodiscard]] FieldBuffer rewrite_trailers(const Fields& trailers, const ScrubSet& scrub, std::uint64_t& scrubbed);

} // namespace aduana::proxy
