// SPDX-License-Identifier: Apache-2.0
// Mistakes as text for a terminal:
//
//   policy.yaml:4:5: error: `prots` is not a key of a rule
//       prots: [443]
//       ^
//     help: did you mean `ports`? known keys: ...
#include "policy/load/load.hpp"

#include <stdexcept>

namespace aduana::policy {

std::string to_text(const LoadError& error)
{
    std::string out = error.file;
    if (error.place != Place{})
        out += ":" + std::to_string(error.place.line) + ":" + std::to_string(error.place.column);
    out += ": error: " + error.message + "\n";
    if (!error.source_line.empty())
        out += error.source_line + "\n" + std::string(error.caret, ' ') + "^\n";
    if (!error.remedy.empty())
        out += "  help: " + error.remedy + "\n";
    return out;
}

std::string to_text(const std::vector<LoadError>& errors)
{
    std::string out;
    for (const auto& error : errors)
        out += to_text(error);
    return out;
}

void throw_exception_from_error(const std::vector<LoadError>& errors, const boost::source_location&)
{
    throw std::logic_error(to_text(errors));
}

} // namespace aduana::policy
