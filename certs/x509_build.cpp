// SPDX-License-Identifier: Apache-2.0
// The parts of an X.509 v3 certificate (RFC 5280) as typed calls.
#include "certs/x509_build.hpp"

#include "certs/digest.hpp"
#include "certs/openssl_check.hpp"

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/x509v3.h>

namespace aduana::certs {
namespace {

using BasicConstraintsPtr = std::unique_ptr<BASIC_CONSTRAINTS, Freer<BASIC_CONSTRAINTS_free>>;
using BitStringPtr = std::unique_ptr<ASN1_BIT_STRING, Freer<ASN1_BIT_STRING_free>>;
using IntegerPtr = std::unique_ptr<ASN1_INTEGER, Freer<ASN1_INTEGER_free>>;
using OctetStringPtr = std::unique_ptr<ASN1_OCTET_STRING, Freer<ASN1_OCTET_STRING_free>>;
using AuthorityKeyIdPtr = std::unique_ptr<AUTHORITY_KEYID, Freer<AUTHORITY_KEYID_free>>;
using ExtendedKeyUsagePtr = std::unique_ptr<EXTENDED_KEY_USAGE, Freer<EXTENDED_KEY_USAGE_free>>;
using GeneralNamesPtr = std::unique_ptr<GENERAL_NAMES, Freer<GENERAL_NAMES_free>>;
using GeneralNamePtr = std::unique_ptr<GENERAL_NAME, Freer<GENERAL_NAME_free>>;
using BignumPtr = std::unique_ptr<BIGNUM, Freer<BN_free>>;

// RFC 5280 section 4.2.1.3: bit numbers of keyUsage.
constexpr int digital_signature = 0;
constexpr int key_cert_sign = 5;
constexpr int crl_sign = 6;

void add_extension(X509* certificate, int nid, void* value, Critical critical)
{
    must(X509_add1_ext_i2d(certificate, nid, value, critical == Critical::yes ? 1 : 0, X509V3_ADD_DEFAULT) == 1,
         "add an extension");
}

void add_key_usage(X509* certificate, std::initializer_list<int> bits)
{
    const BitStringPtr usage(ASN1_BIT_STRING_new());
    must(usage != nullptr, "allocate memory");
    for (const int bit : bits)
        must(ASN1_BIT_STRING_set_bit(usage.get(), bit, 1) == 1, "set a key usage");
    add_extension(certificate, NID_key_usage, usage.get(), Critical::yes);
}

OctetStringPtr octets(std::string_view bytes)
{
    OctetStringPtr value(ASN1_OCTET_STRING_new());
    must(value && ASN1_OCTET_STRING_set(value.get(), reinterpret_cast<const unsigned char*>(bytes.data()),
                                        static_cast<int>(bytes.size())) == 1,
         "allocate memory");
    return value;
}

GeneralNamePtr general_name(const policy::Host& host)
{
    GeneralNamePtr name(GENERAL_NAME_new());
    must(name != nullptr, "allocate memory");
    if (const auto& ip = host.ip()) {
        const std::string_view bytes(reinterpret_cast<const char*>(ip->bytes().data()), ip->is_v4() ? 4 : 16);
        GENERAL_NAME_set0_value(name.get(), GEN_IPADD, octets(bytes).release());
        return name;
    }
    std::unique_ptr<ASN1_IA5STRING, Freer<ASN1_IA5STRING_free>> text(ASN1_IA5STRING_new());
    must(text && ASN1_STRING_set(text.get(), host.text().data(), static_cast<int>(host.text().size())) == 1,
         "allocate memory");
    GENERAL_NAME_set0_value(name.get(), GEN_DNS, text.release());
    return name;
}

} // namespace

PkeyPtr new_p256_key()
{
    PkeyPtr key(EVP_EC_gen("P-256"));
    must(key != nullptr, "generate a P-256 key");
    return key;
}

X509Ptr new_certificate(EVP_PKEY* public_key)
{
    X509Ptr certificate(X509_new());
    must(certificate && X509_set_version(certificate.get(), X509_VERSION_3) == 1 &&
             X509_set_pubkey(certificate.get(), public_key) == 1,
         "start a certificate");
    return certificate;
}

void set_random_serial(X509* certificate)
{
    const BignumPtr number(BN_new());
    must(number && BN_rand(number.get(), 127, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) == 1, "draw a serial number");
    must(BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr, "set a serial number");
}

void set_validity(X509* certificate, std::chrono::system_clock::time_point from,
                  std::chrono::system_clock::time_point until)
{
    using std::chrono::system_clock;
    must(ASN1_TIME_set(X509_getm_notBefore(certificate), system_clock::to_time_t(from)) != nullptr &&
             ASN1_TIME_set(X509_getm_notAfter(certificate), system_clock::to_time_t(until)) != nullptr,
         "set a validity");
}

void add_name_part(X509_NAME* name, const char* type, std::string_view value)
{
    must(X509_NAME_add_entry_by_txt(name, type, MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(value.data()),
                                    static_cast<int>(value.size()), -1, 0) == 1,
         "set a name");
}

void add_ca_constraints(X509* certificate)
{
    const BasicConstraintsPtr constraints(BASIC_CONSTRAINTS_new());
    must(constraints != nullptr, "allocate memory");
    constraints->ca = 0xff; // DER's only TRUE (X.690 section 11.1): Go and Chromium refuse any other
    constraints->pathlen = ASN1_INTEGER_new();
    must(constraints->pathlen && ASN1_INTEGER_set(constraints->pathlen, 0) == 1, "allocate memory");
    add_extension(certificate, NID_basic_constraints, constraints.get(), Critical::yes);
    add_key_usage(certificate, {key_cert_sign, crl_sign});
}

void add_leaf_constraints(X509* certificate)
{
    const BasicConstraintsPtr constraints(BASIC_CONSTRAINTS_new());
    const ExtendedKeyUsagePtr usage(EXTENDED_KEY_USAGE_new());
    must(constraints && usage && sk_ASN1_OBJECT_push(usage.get(), OBJ_nid2obj(NID_server_auth)) > 0, "allocate memory");
    add_extension(certificate, NID_basic_constraints, constraints.get(), Critical::yes);
    add_key_usage(certificate, {digital_signature});
    add_extension(certificate, NID_ext_key_usage, usage.get(), Critical::no);
}

std::string key_identifier(const X509* certificate)
{
    const ASN1_BIT_STRING* key = X509_get0_pubkey_bitstr(certificate);
    must(key != nullptr, "read a public key");
    const std::string_view bytes(reinterpret_cast<const char*>(ASN1_STRING_get0_data(key)),
                                 static_cast<std::size_t>(ASN1_STRING_length(key)));
    const Sha256 digest = sha256(bytes);
    return {reinterpret_cast<const char*>(digest.data()), 20};
}

void add_subject_key_identifier(X509* certificate, std::string_view identifier)
{
    add_extension(certificate, NID_subject_key_identifier, octets(identifier).get(), Critical::no);
}

void add_authority_key_identifier(X509* certificate, std::string_view identifier)
{
    const AuthorityKeyIdPtr value(AUTHORITY_KEYID_new());
    must(value != nullptr, "allocate memory");
    value->keyid = octets(identifier).release();
    add_extension(certificate, NID_authority_key_identifier, value.get(), Critical::no);
}

void add_subject_alternative_name(X509* certificate, const policy::Host& host, Critical critical)
{
    const GeneralNamesPtr names(GENERAL_NAMES_new());
    GeneralNamePtr name = general_name(host);
    must(names && sk_GENERAL_NAME_push(names.get(), name.get()) > 0, "allocate memory");
    static_cast<void>(name.release());
    add_extension(certificate, NID_subject_alt_name, names.get(), critical);
}

void sign_with(X509* certificate, EVP_PKEY* key)
{
    must(X509_sign(certificate, key, EVP_sha256()) > 0, "sign a certificate");
}

} // namespace aduana::certs
