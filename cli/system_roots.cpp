// SPDX-License-Identifier: Apache-2.0
// Debian's place for them.
#include "cli/system_roots.hpp"

#include "cli/installation.hpp"

namespace aduana::cli {

Result<std::string> system_roots(const std::string& extra_ca)
{
    constexpr const char* system_bundle = "/etc/ssl/certs/ca-certificates.crt";
    constexpr std::size_t max_bundle = 16 * 1024 * 1024;
    auto bundle = read_file(system_bundle, max_bundle);
    if (!bundle)
        return Error{bundle.error().message, "install the package ca-certificates"};
    return *bundle + "\n" + extra_ca;
}

} // namespace aduana::cli
