// SPDX-License-Identifier: Apache-2.0
// passwd(5), and where the caller lives.
#include "sandbox-shim/homes.hpp"

#include "sandbox-shim/facts.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace aduana::shim {

std::vector<std::string> homes()
{
    std::ostringstream passwd;
    passwd << std::ifstream("/etc/passwd").rdbuf();
    const char* home = std::getenv("HOME");
    return homes_in(passwd.view(), home == nullptr ? "" : home);
}

} // namespace aduana::shim
