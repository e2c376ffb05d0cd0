// SPDX-License-Identifier: Apache-2.0
// The task's CA and its leaves as clients see them: verified, and looked at part by part.
#include "certs/task_ca.hpp"

#include "certs/digest.hpp"
#include "tests/certs/verify_chain.hpp"

#include <gtest/gtest.h>

#include <openssl/bn.h>

#include <set>

namespace aduana::certs {
namespace {

using namespace std::chrono_literals;

const TimePoint now = std::chrono::sys_days(std::chrono::year(2026) / 7 / 1) + 12h;

std::string name_text(const X509_NAME* name)
{
    char text[256] = {};
    X509_NAME_oneline(name, text, sizeof text);
    return text;
}

std::string serial_of(const X509* certificate)
{
    const ASN1_INTEGER* serial = X509_get0_serialNumber(certificate);
    return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(serial)),
            static_cast<std::size_t>(ASN1_STRING_length(serial))};
}

bool is_critical(const X509* certificate, int nid)
{
    return X509_EXTENSION_get_critical(X509_get_ext(certificate, X509_get_ext_by_NID(certificate, nid, -1))) == 1;
}

std::string alternative_names(X509* certificate)
{
    using NamesPtr = std::unique_ptr<GENERAL_NAMES, Freer<GENERAL_NAMES_free>>;
    const NamesPtr names(
        static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
    std::string text;
    for (int i = 0; names && i < sk_GENERAL_NAME_num(names.get()); ++i) {
        int kind = 0;
        const auto* value =
            static_cast<const ASN1_STRING*>(GENERAL_NAME_get0_value(sk_GENERAL_NAME_value(names.get(), i), &kind));
        const std::string bytes(reinterpret_cast<const char*>(ASN1_STRING_get0_data(value)),
                                static_cast<std::size_t>(ASN1_STRING_length(value)));
        text += kind == GEN_DNS ? "dns:" + bytes : kind == GEN_IPADD ? "ip:" + to_hex(bytes) : "other";
    }
    return text;
}

/// 253 bytes, the longest name there is.
std::string longest_name()
{
    const std::string label(61, 'a');
    return label + "." + label + "." + label + "." + label + "a.test";
}

TEST(TaskCa, LeavesOfEveryKindOfHostVerifyStrictly)
{
    const TaskCa ca = TaskCa::create("demo", now);
    const StorePtr store = store_of(ca.certificate());
    ASSERT_EQ(longest_name().size(), 253U);
    for (const std::string& text : {std::string("api.example.com"), std::string("a_b.example.com"), longest_name(),
                                    std::string("xn--bcher-kva.example.com"), std::string("192.0.2.1"),
                                    std::string("2001:db8::1"), std::string(64, 'a').replace(32, 1, ".")}) {
        SCOPED_TRACE(text);
        const X509Ptr leaf = ca.mint(host(text), now);
        EXPECT_EQ(verify_chain(store.get(), leaf.get(), host(text), now), "ok");
        EXPECT_EQ(verify_chain(store.get(), leaf.get(), host("other.example.com"), now), "hostname mismatch");
    }
}

TEST(TaskCa, AnotherTasksLeafDoesNotVerify)
{
    const TaskCa ca = TaskCa::create("demo", now);
    const TaskCa same_name = TaskCa::create("demo", now);
    const X509Ptr leaf = same_name.mint(host("api.example.com"), now);
    EXPECT_NE(verify_chain(store_of(ca.certificate()).get(), leaf.get(), host("api.example.com"), now), "ok");
}

TEST(TaskCa, ALeafCannotSignAnotherLeaf)
{
    const TaskCa ca = TaskCa::create("demo", now);
    EXPECT_EQ(X509_get_pathlen(ca.certificate()), 0);
    EXPECT_EQ(X509_check_ca(ca.certificate()), 1);
    EXPECT_EQ(X509_check_ca(ca.mint(host("api.example.com"), now).get()), 0);
}

/// Go and BoringSSL read DER to the letter: of the 255 spellings of TRUE that BER has, they take one.
TEST(TaskCa, TheConstraintsOfTheCaAreStrictDer)
{
    const TaskCa ca = TaskCa::create("demo", now);
    X509_EXTENSION* const constraints =
        X509_get_ext(ca.certificate(), X509_get_ext_by_NID(ca.certificate(), NID_basic_constraints, -1));
    const ASN1_STRING* const value = X509_EXTENSION_get_data(constraints);
    const std::string_view der(reinterpret_cast<const char*>(ASN1_STRING_get0_data(value)),
                               static_cast<std::size_t>(ASN1_STRING_length(value)));
    // SEQUENCE { BOOLEAN TRUE, INTEGER 0 }
    EXPECT_EQ(to_hex(der), "30060101ff020100");
}

TEST(TaskCa, CertificatesAreBackDatedByADayAndEnd)
{
    const TaskCa ca = TaskCa::create("demo", now);
    const StorePtr store = store_of(ca.certificate());
    const auto api = host("api.example.com");
    const X509Ptr leaf = ca.mint(api, now);
    EXPECT_EQ(verify_chain(store.get(), leaf.get(), api, now - 24h), "ok");
    EXPECT_EQ(verify_chain(store.get(), leaf.get(), api, now - 24h - 1s), "certificate is not yet valid");
    EXPECT_EQ(verify_chain(store.get(), leaf.get(), api, now + leaf_validity - 1s), "ok");
    EXPECT_EQ(verify_chain(store.get(), leaf.get(), api, now + leaf_validity + 2s), "certificate has expired");
}

TEST(TaskCa, LeavesMintedMuchLaterStillVerify)
{
    const TaskCa ca = TaskCa::create("demo", now);
    const TimePoint later = now + std::chrono::days(45);
    const X509Ptr leaf = ca.mint(host("api.example.com"), later);
    EXPECT_EQ(verify_chain(store_of(ca.certificate()).get(), leaf.get(), host("api.example.com"), later), "ok");
}

TEST(TaskCa, TheHostIsTheOnlyAlternativeName)
{
    const TaskCa ca = TaskCa::create("demo", now);
    EXPECT_EQ(alternative_names(ca.mint(host("api.example.com"), now).get()), "dns:api.example.com");
    EXPECT_EQ(alternative_names(ca.mint(host("192.0.2.1"), now).get()), "ip:c0000201");
    EXPECT_EQ(alternative_names(ca.mint(host("2001:db8::1"), now).get()), "ip:20010db8000000000000000000000001");
}

TEST(TaskCa, ANameThatDoesNotFitTheSubjectIsLeftOutAndTheAlternativeNameIsCritical)
{
    const TaskCa ca = TaskCa::create("demo", now);
    const X509Ptr fits = ca.mint(host("api.example.com"), now);
    EXPECT_EQ(name_text(X509_get_subject_name(fits.get())), "/CN=api.example.com");
    EXPECT_FALSE(is_critical(fits.get(), NID_subject_alt_name));

    const X509Ptr too_long = ca.mint(host(longest_name()), now);
    EXPECT_EQ(X509_NAME_entry_count(X509_get_subject_name(too_long.get())), 0);
    EXPECT_TRUE(is_critical(too_long.get(), NID_subject_alt_name));
}

TEST(TaskCa, TheSubjectNamesTheTaskAndCanBreakNothing)
{
    const std::pair<std::string, std::string> cases[] = {
        {"demo", "/O=Aduana/CN=Aduana task demo"},
        {"a/CN=b\n\x1b[31m", "/O=Aduana/CN=Aduana task a\\/CN=b??[31m"},
        {"\xff\xfe", "/O=Aduana/CN=Aduana task ??"},
        {"", "/O=Aduana/CN=Aduana task "},
        {std::string(300, 'x'), "/O=Aduana/CN=Aduana task " + std::string(52, 'x')},
    };
    for (const auto& [task, subject] : cases) {
        SCOPED_TRACE(task);
        EXPECT_EQ(name_text(X509_get_subject_name(TaskCa::create(task, now).certificate())), subject);
    }
}

TEST(TaskCa, SerialNumbersArePositiveSixteenBytesAndDiffer)
{
    const TaskCa ca = TaskCa::create("demo", now);
    std::set<std::string> seen{serial_of(ca.certificate())};
    for (int i = 0; i < 50; ++i) {
        const std::string serial = serial_of(ca.mint(host("api.example.com"), now).get());
        EXPECT_EQ(serial.size(), 16U);
        EXPECT_LT(static_cast<unsigned char>(serial.front()), 0x80);
        EXPECT_TRUE(seen.insert(serial).second);
    }
}

TEST(TaskCa, LeavesAreForServersOnlyAndShareOneKeyThatIsNotTheCas)
{
    const TaskCa ca = TaskCa::create("demo", now);
    const X509Ptr leaf = ca.mint(host("api.example.com"), now);
    EXPECT_EQ(X509_get_extended_key_usage(leaf.get()), static_cast<unsigned>(XKU_SSL_SERVER));
    EXPECT_EQ(X509_get_key_usage(leaf.get()), static_cast<unsigned>(KU_DIGITAL_SIGNATURE));
    EXPECT_EQ(X509_check_private_key(leaf.get(), ca.leaf_key()), 1);
    EXPECT_EQ(X509_check_private_key(ca.mint(host("192.0.2.1"), now).get(), ca.leaf_key()), 1);
    EXPECT_NE(X509_check_private_key(ca.certificate(), ca.leaf_key()), 1);
    EXPECT_EQ(X509_get_signature_nid(leaf.get()), NID_ecdsa_with_SHA256);
}

TEST(TaskCa, TheCasConstraintsAreCritical)
{
    const TaskCa ca = TaskCa::create("demo", now);
    EXPECT_TRUE(is_critical(ca.certificate(), NID_basic_constraints));
    EXPECT_TRUE(is_critical(ca.certificate(), NID_key_usage));
    EXPECT_EQ(X509_get_key_usage(ca.certificate()), static_cast<unsigned>(KU_KEY_CERT_SIGN | KU_CRL_SIGN));
}

} // namespace
} // namespace aduana::certs
