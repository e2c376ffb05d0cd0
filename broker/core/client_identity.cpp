// SPDX-License-Identifier: Apache-2.0
// A certificate, a key, and whether they belong together, by libcrypto.
#include "broker/core/client_identity.hpp"

#include "broker/core/vault.hpp"
#include "broker/sign/openssl.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

namespace aduana::broker {
namespace {

using Bio = Owned<BIO, BIO_free>;
using Certificate = Owned<X509, X509_free>;
using Key = Owned<EVP_PKEY, EVP_PKEY_free>;

/// Nobody is there to be asked for one.
int no_password(char*, int, int, void*)
{
    return -1;
}

Bio reader_of(const Secret& pem)
{
    Bio bio(BIO_new_mem_buf(pem.reveal().data(), static_cast<int>(pem.size())));
    must(bio != nullptr);
    return bio;
}

} // namespace

Result<Ok> check_identity(const std::string& credential, const Secret& pem)
{
    const auto bad = [&credential](const std::string& what, const std::string& remedy) {
        return Error{"credential '" + credential + "': its value " + what, remedy};
    };
    constexpr auto both = "store the certificate and its key in one file, both in PEM and without a password";
    if (pem.size() > max_identity)
        return bad("is longer than 32 KiB", both);
    if (pem.empty())
        return bad("holds no certificate in PEM", both);
    const Certificate certificate(PEM_read_bio_X509(reader_of(pem).get(), nullptr, no_password, nullptr));
    const Key key(PEM_read_bio_PrivateKey(reader_of(pem).get(), nullptr, no_password, nullptr));
    ERR_clear_error();
    if (!certificate)
        return bad("holds no certificate in PEM", both);
    if (!key)
        return bad("holds no private key that can be read", both);
    const bool match = X509_check_private_key(certificate.get(), key.get()) == 1;
    ERR_clear_error();
    if (!match)
        return bad("holds a key that is not the certificate's", "the certificate comes first, its issuers after it");
    return Ok{};
}

} // namespace aduana::broker
