// SPDX-License-Identifier: Apache-2.0
// The kinds of `inject` that sign.
#pragma once

#include "policy/load/fields.hpp"
#include "policy/signing.hpp"

namespace aduana::policy::load {

/// `{services: [s3], regions: [eu-west-1], unsigned_payload: allow, presign: deny}`; `kind` is `sigv4` or `sigv4a`.
[[nodiscard]] AwsInjection read_aws(const Entry& kind, Mistakes& mistakes);

/// `{header: N, format: F, encoding: hex, message: "...", timestamp_header: N, nonce_header: N}`.
[[nodiscard]] HmacInjection read_hmac(const Node& node, Mistakes& mistakes);

/// The name of a header that a credential may set; empty after a mistake.
[[nodiscard]] std::string read_header_name(const Node& node, std::string_view label, Mistakes& mistakes);
/// Text with one "{}"; "{}" after a mistake.
[[nodiscard]] std::string read_format(const Node& node, Mistakes& mistakes);

} // namespace aduana::policy::load
