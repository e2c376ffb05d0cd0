// SPDX-License-Identifier: Apache-2.0
// A key that opens nothing, for programs that insist on one.
#pragma once

#include <string>

namespace aduana::certs {

/// A new RSA key of 2048 bits, as PKCS#8 in PEM. No secret: whoever looks for its public half does not find it. Takes a
/// few tenths of a second.
[[nodiscard]] std::string throwaway_rsa_key();

} // namespace aduana::certs
