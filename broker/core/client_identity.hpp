// SPDX-License-Identifier: Apache-2.0
// Values that are a certificate and its key.
#pragma once

#include "policy/base/result.hpp"
#include "policy/base/secret.hpp"

namespace aduana::broker {

/// PEM: a certificate, those that it was issued by, if any, and its private key, unencrypted, in any order. Errors say
/// what is missing; they name the credential.
[[nodiscard]] Result<Ok> check_identity(const std::string& credential, const Secret& pem);

} // namespace aduana::broker
