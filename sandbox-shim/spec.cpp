// SPDX-License-Identifier: Apache-2.0
// The environment that every sandbox starts with.
#include "sandbox-shim/spec.hpp"

#include <initializer_list>

namespace aduana::shim {

namespace {

constexpr const char* bundle = "/etc/ssl/certs/ca-certificates.crt";

/// Most of these replace a client's own roots. Node and Deno add to theirs, but the operator's private roots are in the
/// bundle alone: so each gets the bundle.
constexpr std::initializer_list<const char*> bundle_variables = {
    "SSL_CERT_FILE",        "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",       "GIT_SSL_CAINFO",
    "CARGO_HTTP_CAINFO",    "PIP_CERT",
    "AWS_CA_BUNDLE",        "npm_config_cafile",
    "PERL_LWP_SSL_CA_FILE", "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
    "NODE_EXTRA_CA_CERTS",  "DENO_CERT",
};

} // namespace

std::map<std::string, std::string> base_environment()
{
    std::map<std::string, std::string> environment = {
        {"PATH", "/usr/local/bin:/usr/bin:/bin"},
        {"HOME", sandbox_home},
        {"USER", "sandbox"},
        {"LOGNAME", "sandbox"},
        {"SHELL", "/bin/sh"},
        {"LANG", "C.UTF-8"},
        {"SSL_CERT_DIR", "/etc/ssl/certs"},
    };
    for (const char* name : bundle_variables)
        environment[name] = bundle;

    // Both cases: wget, apt and gRPC read only lower case, some programs only upper case.
    const std::string proxy = "http://" + std::string(gateway_ipv4) + ":" + std::to_string(proxy_port);
    for (const char* name : {"http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"})
        environment[name] = proxy;
    for (const char* name : {"no_proxy", "NO_PROXY"})
        environment[name] = "localhost,127.0.0.1,::1";
    return environment;
}

} // namespace aduana::shim
