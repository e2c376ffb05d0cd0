// SPDX-License-Identifier: Apache-2.0
// How a client has signed its request by AWS Signature Version 4 or 4A: what it claims, not whether it is true. The
// signature was made with a placeholder; the broker makes another one for the same scope.
#pragma once

#include "broker/protocol/messages.hpp"
#include "proxy/core/failure.hpp"
#include "proxy/core/rewrite.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace aduana::proxy {

struct AwsClaim {
    broker::AwsScopeClaim scope;
    std::vector<std::string> names; ///< of the fields that it covers, in lower case
    /// X-Amz-Content-Sha256: a digest, or a word; empty where the client has sent none.
    std::string payload;
};

/// `query` may begin with "?". Failures are credential_foreign: no signature, two of them, one of another kind, or one
/// that cannot be read.
[[nodiscard]] Outcome<AwsClaim> read_aws_claim(const Fields& fields, std::string_view query);

/// Takes the client's signature out of the head: Authorization, X-Amz-Date, X-Amz-Security-Token, X-Amz-Region-Set.
void strip_aws_fields(OutgoingRequest& request);
/// The query (with its "?", or empty) without the parameters of a signature; no other byte of it is touched.
[[nodiscard]] std::string without_aws_parameters(std::string_view query);

/// The fields that the new signature covers: Host, Content-Type, X-Amz-*, and what the client's had covered. The others
/// may be changed on the way.
[[nodiscard]] std::vector<broker::SignField> covered_fields(const OutgoingRequest& request, const AwsClaim& claim);

/// What is known of the body before it is sent.
enum class AwsPayload : std::uint8_t {
    as_claimed, ///< a digest or a word that stands for the body as it is
    chunks,     ///< to be signed anew as they pass
    chunks_and_trailer,
    to_be_hashed, ///< the client's signature has the digest, but the request does not
};
/// Fails with credential_foreign for words that cannot be signed again.
[[nodiscard]] Outcome<AwsPayload> payload_of(const AwsClaim& claim);

} // namespace aduana::proxy
