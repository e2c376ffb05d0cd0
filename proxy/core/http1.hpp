// SPDX-License-Identifier: Apache-2.0
// Messages as HTTP/1.1 writes them (RFC 9112): heads with their framing, and whether the connection goes on.
#pragma once

#include "proxy/core/rewrite.hpp"

namespace aduana::proxy {

/// Appends the head: origin-form, Host, fields, framing. The caller wipes `out` after sending: it may hold a secret.
void append_head(std::string& out, const OutgoingRequest& head, const BodyLength& body);
/// Bytes that `append_head` adds at most: growing a string would leave a copy of a secret behind.
[[nodiscard]] std::size_t head_size(const OutgoingRequest& head);

/// How a response body goes on to the client.
enum class ResponseFraming : std::uint8_t { none, counted, chunked, until_close };
struct ResponsePlan {
    ResponseFraming framing = ResponseFraming::none;
    std::uint64_t size = 0; ///< for counted
    bool close = false;     ///< the client's connection ends after this response
};
void append_head(std::string& out, const OutgoingResponse& head, const ResponsePlan& plan);

/// The 101 response to a client whose offer had this key.
void append_head(std::string& out, const OutgoingResponse& head, std::string_view key,
                 const WebsocketAgreement& agreement);

/// The end of a chunked body: last chunk, trailer section, empty line (RFC 9112 section 7.1).
void append_last_chunk(std::string& out, const FieldBuffer& trailers);

/// The connection may carry another request after this one (RFC 9112 section 9.3).
[[nodiscard]] bool wants_keep_alive(const RequestHead& head);
[[nodiscard]] bool wants_keep_alive(const ResponseHead& head);

} // namespace aduana::proxy
