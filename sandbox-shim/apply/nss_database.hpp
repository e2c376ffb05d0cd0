// SPDX-License-Identifier: Apache-2.0
// The trust database that Chromium reads: it obeys neither variables nor /etc/ssl/certs.
#pragma once

#include "sandbox-shim/op.hpp"

#include <string>

namespace aduana::shim {

/// ~/.pki/nssdb below `home`, with the certificate in the PEM file `authority` trusted for servers; made by certutil as
/// the home's owner. Whatever fails is left out: nothing but Chromium will miss it, and it refuses connections then.
void make_nss_database(const MakeNssDatabase& op, const std::string& home, const std::string& authority);

} // namespace aduana::shim
