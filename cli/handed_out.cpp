// SPDX-License-Identifier: Apache-2.0
// The sandbox's variables, pointed at addresses and files of this machine.
#include "cli/handed_out.hpp"

#include "cli/installation.hpp"
#include "policy/load/load.hpp"
#include "sandbox-shim/spec.hpp"

namespace aduana::cli {

std::string environment_lines(const HandedOut& files,
                              const std::vector<std::pair<std::string, std::string>>& placeholders)
{
    std::string lines;
    const auto add = [&lines](const std::string& name, const std::string& value) {
        lines += name + "=" + value + "\n";
    };
    for (const auto& [name, value] : shim::base_environment()) {
        if (!policy::is_reserved_variable(name))
            continue;
        // A sandbox has these in one place for all tasks; here each task has its own.
        if (value.starts_with("http://") && !files.proxy.empty())
            add(name, "http://" + files.proxy);
        else if (value.ends_with(".crt") || value.ends_with(".pem"))
            add(name, files.bundle());
        else if ((name == "no_proxy" || name == "NO_PROXY") && !files.proxy.empty())
            add(name, value);
    }
    for (const auto& [name, value] : placeholders)
        add(name, value);
    return lines;
}

Result<Ok> hand_out(const HandedOut& files, const Border& border, const std::string& roots, shim::Janitor& janitor)
{
    const std::pair<std::string, std::string> contents[] = {
        {files.ca(), border.ca_certificate},
        {files.bundle(), roots + "\n" + border.ca_certificate},
        {files.environment(), environment_lines(files, border.placeholders)},
    };
    if (const auto made = make_folder(files.folder, 0755); !made)
        return made.error();
    for (const auto& [path, content] : contents) {
        if (const auto known = janitor.undo(shim::RemovePath{path}); !known)
            return known.error();
        if (const auto written = write_file(path, content, 0644); !written)
            return written.error();
    }
    return Ok{};
}

} // namespace aduana::cli
