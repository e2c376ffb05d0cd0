// SPDX-License-Identifier: Apache-2.0
// What a sandbox trusts: the system's roots and the task's CA, in every form that clients read.
#include "certs/trust.hpp"

#include "certs/openssl_check.hpp"
#include "certs/pem.hpp"
#include "certs/task_ca.hpp"

#include <openssl/pem.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <map>
#include <unordered_set>

namespace aduana::certs {
namespace {

constexpr std::string_view java_password = "changeit"; // what every JVM tries for its own cacerts

struct OpenSslFree {
    void operator()(void* memory) const noexcept { OPENSSL_free(memory); }
};
using Buffer = std::unique_ptr<unsigned char, OpenSslFree>;
using Text = std::unique_ptr<char, OpenSslFree>;

std::string place_of(std::size_t number, std::string_view pem, std::string_view rest)
{
    const auto read = pem.substr(0, pem.size() - rest.size());
    const auto line = std::count(read.begin(), read.end(), '\n');
    return "certificate " + std::to_string(number) + " (before line " + std::to_string(line + 1) + ")";
}

X509Ptr parse_der(std::string_view der)
{
    const auto* at = reinterpret_cast<const unsigned char*>(der.data());
    const auto* const end = at + der.size();
    X509Ptr certificate(d2i_X509(nullptr, &at, static_cast<long>(der.size())));
    ERR_clear_error();
    return at == end ? std::move(certificate) : nullptr;
}

/// "5a4d6896": the name by which OpenSSL and GnuTLS look an issuer up in a folder.
std::string subject_hash(const X509* certificate)
{
    int worked = 0;
    const unsigned long hash = X509_NAME_hash_ex(X509_get_subject_name(certificate), nullptr, nullptr, &worked);
    must(worked == 1, "hash a name");
    std::array<char, 17> text{};
    std::snprintf(text.data(), text.size(), "%08lx", hash);
    return text.data();
}

/// When TaskCa::create() made it: reading a clock here would make two folders of one task differ.
long long made_at_ms(const X509* certificate)
{
    using std::chrono::milliseconds;
    std::tm time{};
    if (ASN1_TIME_to_tm(X509_get0_notBefore(certificate), &time) != 1)
        return 0;
    return static_cast<long long>(timegm(&time)) * 1000 + milliseconds(back_dating).count();
}

} // namespace

Result<std::vector<std::string>> certificates_in(std::string_view pem)
{
    const BioPtr bio = reader_of(pem);
    std::vector<std::string> found;
    while (true) {
        char* name = nullptr;
        char* header = nullptr;
        unsigned char* data = nullptr;
        long size = 0;
        const bool read = PEM_read_bio(bio.get(), &name, &header, &data, &size) == 1;
        const Text own_name(name);
        const Text own_header(header);
        const Buffer own_data(data);
        const bool at_end = !read && ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
        ERR_clear_error();
        if (at_end)
            break;
        const std::string place = place_of(found.size() + 1, pem, contents(bio.get()));
        if (!read)
            return Error{place + " is not valid PEM", "remove it from the file, or copy it again from its source"};
        if (std::string_view(name) != PEM_STRING_X509)
            return Error{place + " is a \"" + std::string(name) + "\", not a certificate",
                         "the file may hold certificates only"};
        std::string der(reinterpret_cast<const char*>(data), static_cast<std::size_t>(size));
        if (!parse_der(der))
            return Error{place + " cannot be read as X.509",
                         "remove it from the file, or copy it again from its source"};
        found.push_back(std::move(der));
    }
    if (found.empty())
        return Error{"the PEM text holds no certificate", "give a file with -----BEGIN CERTIFICATE----- in it"};
    return found;
}

Result<std::vector<TrustFile>> trust_folder(std::string_view system_bundle, std::string_view task_ca_pem)
{
    auto roots = certificates_in(task_ca_pem);
    if (!roots)
        return roots.error();
    if (system_bundle.find_first_not_of(" \t\r\n") != std::string_view::npos) {
        const auto system = certificates_in(system_bundle);
        if (!system)
            return system.error();
        roots->insert(roots->end(), system->begin(), system->end());
    }

    // Written anew from the certificates: nothing else that the host's bundle may hold gets into a sandbox.
    std::string bundle;
    std::vector<TrustFile> files{{"ca-certificates.crt", {}}, {"aduana-task-ca.pem", {}}};
    std::vector<JksEntry> java;
    std::unordered_set<std::string> seen;
    std::map<std::string, unsigned> same_hash;
    for (const std::string& der : *roots) {
        if (!seen.insert(der).second)
            continue;
        const X509Ptr certificate = parse_der(der);
        const std::string pem = to_pem(certificate.get());
        const std::string hash = subject_hash(certificate.get());
        const std::string name = hash + "." + std::to_string(same_hash[hash]++);
        if (bundle.empty())
            files[1].content = pem;
        bundle += pem;
        files.push_back({name, pem});
        java.push_back({java.empty() ? "aduana-task-ca" : name, der});
    }
    const long long made_at = made_at_ms(parse_der(roots->front()).get());
    files[0].content = std::move(bundle);
    files.push_back({"java/cacerts", to_jks(java, java_password, made_at)});
    return files;
}

} // namespace aduana::certs
