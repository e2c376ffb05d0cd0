// SPDX-License-Identifier: Apache-2.0
// Owners for libcrypto's objects.
#pragma once

#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>

namespace aduana::certs {

template <auto free_function>
struct Freer {
    template <class T>
    void operator()(T* object) const noexcept
    {
        free_function(object);
    }
};

using PkeyPtr = std::unique_ptr<EVP_PKEY, Freer<EVP_PKEY_free>>;
using X509Ptr = std::unique_ptr<X509, Freer<X509_free>>;

} // namespace aduana::certs
