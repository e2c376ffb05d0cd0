// SPDX-License-Identifier: Apache-2.0
// What to do when libcrypto reports a failure that no input can cause.
#pragma once

#include <openssl/err.h>

#include <cstdio>
#include <cstdlib>

namespace aduana::certs {

/// Ends the process if `succeeded` is false: without randomness, digests or memory nothing may go on half-protected.
inline void must(bool succeeded, const char* what)
{
    if (succeeded)
        return;
    std::fprintf(stderr, "aduana: libcrypto could not %s: ", what);
    ERR_print_errors_fp(stderr);
    std::abort();
}

} // namespace aduana::certs
