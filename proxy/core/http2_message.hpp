// SPDX-License-Identifier: Apache-2.0
// Heads of HTTP/2 as the heads that everything else judges, and back (RFC 9113 section 8).
#pragma once

#include "proxy/core/body.hpp"
#include "proxy/core/http2_session.hpp"
#include "proxy/core/rewrite.hpp"

#include <string>

namespace aduana::proxy {

/// A head that came as an event. Its views stay valid as long as it is neither changed nor moved.
class Http2Head {
public:
    /// The event is of kind head.
    explicit Http2Head(Http2Event event) : event_(std::move(event)) {}
    Http2Head(const Http2Head&) = delete;
    Http2Head& operator=(const Http2Head&) = delete;

    /// Method and target are the pseudo-fields; :authority becomes Host, and must agree with a Host that is there;
    /// pieces of Cookie are joined. `scheme` is the connection's. Failures: head_too_large, framing_invalid: the same
    /// rules as for HTTP/1.1, and what a message of HTTP/1.1 could not carry. For an extended CONNECT (RFC 8441) the
    /// method is GET with the fields of an upgrade, and `protocol` tells which.
    [[nodiscard]] Outcome<RequestHead> request(policy::Scheme scheme);
    /// Failure: upstream_invalid.
    [[nodiscard]] Outcome<ResponseHead> response() const;

    /// Of an extended CONNECT, or empty.
    [[nodiscard]] std::string_view protocol() const;
    /// Nothing follows the head.
    [[nodiscard]] bool last() const noexcept { return event_.last; }

private:
    void add_fields(const Fields& fields, RequestHead& head);

    Http2Event event_;
    std::string cookies_;
};

/// The body behind a head: without Content-Length its length is not known, which is `chunked` here.
[[nodiscard]] BodyLength http2_body_of(const Fields& fields, bool last);

/// Texts that fields to be submitted view; they outlive them.
struct Http2Texts {
    std::string first; ///< :path or :status
    std::string length;
    Fields fields;
};
/// The fields to submit, which also view `head`. Content-Length is told where the body is counted.
[[nodiscard]] Http2Fields http2_fields(const OutgoingRequest& head, const BodyLength& body, Http2Texts& texts);
[[nodiscard]] Http2Fields http2_fields(const OutgoingResponse& head, const BodyLength& announced, Http2Texts& texts);

} // namespace aduana::proxy
