// SPDX-License-Identifier: Apache-2.0
// Verifies a leaf as the strictest clients do: purpose, host and X509_V_FLAG_X509_STRICT (Python 3.13's default).
#pragma once

#include "certs/openssl_handle.hpp"
#include "policy/host.hpp"

#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <chrono>
#include <string>

namespace aduana::certs {

using StorePtr = std::unique_ptr<X509_STORE, Freer<X509_STORE_free>>;
using StoreContextPtr = std::unique_ptr<X509_STORE_CTX, Freer<X509_STORE_CTX_free>>;

/// "ok", or OpenSSL's sentence.
inline std::string verify_chain(X509_STORE* store, X509* leaf, const policy::Host& host,
                                std::chrono::system_clock::time_point now)
{
    const StoreContextPtr context(X509_STORE_CTX_new());
    if (X509_STORE_CTX_init(context.get(), store, leaf, nullptr) != 1)
        return "no context";
    X509_VERIFY_PARAM* const wanted = X509_STORE_CTX_get0_param(context.get());
    X509_VERIFY_PARAM_set_purpose(wanted, X509_PURPOSE_SSL_SERVER);
    X509_VERIFY_PARAM_set_flags(wanted, X509_V_FLAG_X509_STRICT | X509_V_FLAG_CHECK_SS_SIGNATURE);
    X509_VERIFY_PARAM_set_time(wanted, std::chrono::system_clock::to_time_t(now));
    X509_VERIFY_PARAM_set_hostflags(wanted, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
    if (const auto& ip = host.ip())
        X509_VERIFY_PARAM_set1_ip(wanted, ip->bytes().data(), ip->is_v4() ? 4 : 16);
    else
        X509_VERIFY_PARAM_set1_host(wanted, host.text().c_str(), 0);
    if (X509_verify_cert(context.get()) == 1)
        return "ok";
    return X509_verify_cert_error_string(X509_STORE_CTX_get_error(context.get()));
}

/// A store that trusts `root` alone.
inline StorePtr store_of(X509* root)
{
    StorePtr store(X509_STORE_new());
    X509_STORE_add_cert(store.get(), root);
    return store;
}

inline policy::Host host(std::string_view text)
{
    return policy::Host::parse(text).value();
}

} // namespace aduana::certs
