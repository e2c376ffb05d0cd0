// SPDX-License-Identifier: Apache-2.0
// The variables by which the sandbox is led to the proxy and made to trust its certificates, and those that steer
// programs.
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

// Sorted.
constexpr std::array<std::string_view, 25> steering{
    "BASH_ENV",  "CDPATH",     "ENV",          "GCONV_PATH",    "HOME",    "IFS",      "JAVA_TOOL_OPTIONS",
    "LANG",      "LOGNAME",    "NODE_OPTIONS", "NODE_PATH",     "PATH",    "PERL5LIB", "PERL5OPT",
    "PWD",       "PYTHONHOME", "PYTHONPATH",   "PYTHONSTARTUP", "RUBYLIB", "RUBYOPT",  "SHELL",
    "SHELLOPTS", "TERM",       "TMPDIR",       "USER",
};

} // namespace

bool is_reserved_variable(std::string_view name)
{
    return std::binary_search(reserved.begin(), reserved.end(), name);
}

bool is_steering_variable(std::string_view name)
{
    return name.starts_with("LD_") || name.starts_with("LC_") ||
           std::binary_search(steering.begin(), steering.end(), name);
}

} // namespace aduana::policy
