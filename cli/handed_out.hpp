// SPDX-License-Identifier: Apache-2.0
// What the clients of `aduana listen` need to know, as files: the certificate authority and the variables.
#pragma once

#include "cli/border.hpp"

#include <string>
#include <utility>
#include <vector>

namespace aduana::cli {

/// The files in `folder`: ca.pem (the task's authority), ca-bundle.pem (the system's roots and it), environment
/// (NAME=VALUE lines: proxy, certificates, placeholders).
struct HandedOut {
    std::string folder;
    std::string proxy; ///< ADDR:PORT of the proxy listener; empty without one
    [[nodiscard]] std::string ca() const { return folder + "/ca.pem"; }
    [[nodiscard]] std::string bundle() const { return folder + "/ca-bundle.pem"; }
    [[nodiscard]] std::string environment() const { return folder + "/environment"; }
};

/// The lines of `environment`.
[[nodiscard]] std::string environment_lines(const HandedOut& files,
                                            const std::vector<std::pair<std::string, std::string>>& placeholders);

/// Makes the folder and writes the files, each known to the janitor first: they go with the task.
[[nodiscard]] Result<Ok> hand_out(const HandedOut& files, const Border& border, const std::string& roots,
                                  shim::Janitor& janitor);

} // namespace aduana::cli
