// SPDX-License-Identifier: Apache-2.0
// What a sandbox trusts: the system's roots and the task's CA, in every form that clients read.
#pragma once

#include "policy/base/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace aduana::certs {

/// One file of a trust folder, by its name relative to the folder (no directories in it but "java/").
struct TrustFile {
    std::string name;
    std::string content;
};

/// A folder that takes the place of /etc/ssl/certs: `ca-certificates.crt` (all), `aduana-task-ca.pem`, one hashed name
/// (X509_NAME_hash ".N") a certificate, and `java/cacerts` (JKS, password "changeit"). `system_bundle` is PEM text;
/// certificates in it that cannot be parsed are an error that names their position.
[[nodiscard]] Result<std::vector<TrustFile>> trust_folder(std::string_view system_bundle, std::string_view task_ca_pem);

/// A Java key store (the "JKS" format, version 2) with one trusted certificate entry a certificate. `certificates` are
/// DER with an alias each.
struct JksEntry {
    std::string alias;
    std::string der;
};
[[nodiscard]] std::string to_jks(const std::vector<JksEntry>& entries, std::string_view password, long long now_ms);

/// DER of each certificate in PEM text.
[[nodiscard]] Result<std::vector<std::string>> certificates_in(std::string_view pem);

} // namespace aduana::certs
