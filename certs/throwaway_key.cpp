// SPDX-License-Identifier: Apache-2.0
// EVP_RSA_gen(3).
#include "certs/throwaway_key.hpp"

#include "certs/openssl_check.hpp"
#include "certs/pem.hpp"

#include <openssl/pem.h>
#include <openssl/rsa.h>

namespace aduana::certs {

std::string throwaway_rsa_key()
{
    constexpr unsigned bits = 2048;
    const PkeyPtr key(EVP_RSA_gen(bits));
    const BioPtr bio(BIO_new(BIO_s_mem()));
    must(key && bio && PEM_write_bio_PKCS8PrivateKey(bio.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1,
         "make an RSA key");
    return std::string(contents(bio.get()));
}

} // namespace aduana::certs
