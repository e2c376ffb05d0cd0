// SPDX-License-Identifier: Apache-2.0
// A request signed under a credential, if the credential is for what the request claims.
#pragma once

#include "broker/core/grants.hpp"
#include "broker/core/random.hpp"
#include "broker/sign/signer.hpp"

#include <chrono>
#include <optional>

namespace aduana::broker {

/// The value of a credential that signs for AWS: "KEYID,SECRET" or "KEYID,SECRET,SESSIONTOKEN". Views into it; nothing
/// where a part is missing or empty.
[[nodiscard]] std::optional<AwsKeyView> read_aws_key(std::string_view value);

/// What a lease of the credential is used for.
[[nodiscard]] Signing signing_of(const policy::InjectionKind& kind);

struct SigningTerms {
    const policy::CredentialDeclaration& declaration;
    std::string_view placeholder_id; ///< of the key that the sandbox was given for this credential
    std::chrono::system_clock::time_point now;
};

/// Refuses a claim with the id of another key, or for another version, service, region or form than the declaration
/// has, and a host of AWS that is in another region than the claim. The secret is not part of what is returned; the key
/// of a day, region and service is, for a body that is signed in chunks.
[[nodiscard]] Granted<Signed> sign_for_aws(const Sign& request, const SigningTerms& terms, const AwsKeyView& key);

/// The header that the declaration says, over the message that the declaration says, and the headers of time and nonce.
[[nodiscard]] Granted<Signed> sign_by_hmac(const Sign& request, const SigningTerms& terms, const Secret& key,
                                           const Random& random);

} // namespace aduana::broker
