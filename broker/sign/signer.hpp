// SPDX-License-Identifier: Apache-2.0
// What a signed request carries: fields of its head, or parameters of its query.
#pragma once

#include "broker/sign/canonical.hpp"
#include "broker/sign/scope.hpp"

namespace aduana::broker {

/// Borrowed.
struct AwsKeyView {
    std::string_view id;
    std::string_view secret;
    std::string_view session_token; ///< empty: a long-term key
};

struct SignatureField {
    std::string name;
    Secret value;
};
struct SignedHead {
    /// To be set, replacing all of that name: X-Amz-Date, X-Amz-Security-Token and X-Amz-Region-Set where there is one,
    /// Authorization.
    std::vector<SignatureField> fields;
    std::string signature; ///< the seed of a streamed body
};
/// `request.fields` are without those that this sets.
[[nodiscard]] SignedHead sign_head(const AwsRequest& request, const AwsKeyView& key, const AwsScope& scope);

/// `request.query`, without parameters that this adds, and then the parameters: good for `lifetime` from the scope's
/// time on to whoever has the URL. Holds the session token.
[[nodiscard]] Secret sign_query(const AwsRequest& request, const AwsKeyView& key, const AwsScope& scope,
                                std::chrono::seconds lifetime);

} // namespace aduana::broker
