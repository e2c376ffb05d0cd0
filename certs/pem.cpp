// SPDX-License-Identifier: Apache-2.0
// PEM text (RFC 7468) in and out of memory.
#include "certs/pem.hpp"

#include "certs/openssl_check.hpp"

#include <openssl/pem.h>

namespace aduana::certs {

BioPtr reader_of(std::string_view text)
{
    BioPtr bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
    must(bio != nullptr, "allocate memory");
    return bio;
}

std::string_view contents(BIO* bio)
{
    char* data = nullptr;
    const long size = BIO_get_mem_data(bio, &data);
    return {data, static_cast<std::size_t>(size)};
}

int no_password(char*, int, int, void*)
{
    return -1;
}

std::string to_pem(const X509* certificate)
{
    const BioPtr bio(BIO_new(BIO_s_mem()));
    must(bio && PEM_write_bio_X509(bio.get(), certificate) == 1, "write a certificate");
    return std::string(contents(bio.get()));
}

} // namespace aduana::certs
