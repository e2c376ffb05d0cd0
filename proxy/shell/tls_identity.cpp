// SPDX-License-Identifier: Apache-2.0
// From PEM into the connection; libssl keeps its own copy of the key until the connection ends.
#include "proxy/shell/tls_identity.hpp"

#include "certs/pem.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>

namespace aduana::proxy {

namespace {

using PkeyPtr = certs::PkeyPtr;

int wait_until_known(SSL*, void* known)
{
    return *static_cast<const bool*>(known) ? 1 : -1;
}

} // namespace

void stop_for_identity(SSL* ssl, const bool& known)
{
    SSL_set_cert_cb(ssl, wait_until_known, const_cast<bool*>(&known));
}

Result<Ok> use_identity(SSL* ssl, std::string_view pem)
{
    const auto bio = certs::reader_of(pem);
    const certs::X509Ptr certificate(PEM_read_bio_X509(bio.get(), nullptr, certs::no_password, nullptr));
    const auto again = certs::reader_of(pem);
    const PkeyPtr key(PEM_read_bio_PrivateKey(again.get(), nullptr, certs::no_password, nullptr));
    bool used = certificate && key && SSL_use_certificate(ssl, certificate.get()) == 1 &&
                SSL_use_PrivateKey(ssl, key.get()) == 1;
    while (used) {
        const certs::X509Ptr issuer(PEM_read_bio_X509(bio.get(), nullptr, certs::no_password, nullptr));
        if (!issuer)
            break;
        used = SSL_add1_chain_cert(ssl, issuer.get()) == 1;
    }
    ERR_clear_error();
    if (!used)
        return Error{"the certificate of the credential cannot be used", "store it with its key, in PEM"};
    return Ok{};
}

} // namespace aduana::proxy
