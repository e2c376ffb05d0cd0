// SPDX-License-Identifier: Apache-2.0
// The variables by which the sandbox is led to the proxy and made to trust its certificates.
#include "policy/load/load.hpp"

#include <algorithm>
#include <array>

namespace aduana::policy {

namespace {

// Sorted. NO_PROXY is among them because it would lead round the proxy; the rest name certificate authorities.
constexpr std::array<std::string_view, 21> reserved{
    "ALL_PROXY",
    "AWS_CA_BUNDLE",
    "CARGO_HTTP_CAINFO",
    "CURL_CA_BUNDLE",
    "DENO_CERT",
    "GIT_SSL_CAINFO",
    "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NODE_EXTRA_CA_CERTS",
    "NO_PROXY",
    "PERL_LWP_SSL_CA_FILE",
    "PIP_CERT",
    "REQUESTS_CA_BUNDLE",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "all_proxy",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "npm_config_cafile",
};

} // namespace

bool is_reserved_variable(std::string_view name)
{
    return std::binary_search(reserved.begin(), reserved.end(), name);
}

} // namespace aduana::policy
