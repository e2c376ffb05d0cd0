// SPDX-License-Identifier: Apache-2.0
// Names, labels, input files and folders of a task.
#include "cli/task_request.hpp"

#include "certs/digest.hpp"
#include "cli/followed_paths.hpp"
#include "cli/own_files.hpp"
#include "cli/write_places.hpp"
#include "policy/discreet.hpp"
#include "sandbox-shim/homes.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace aduana::cli {

namespace {

Result<std::vector<std::pair<std::string, std::string>>> labels_of(const TaskOptions& options)
{
    std::vector<std::pair<std::string, std::string>> labels;
    for (const auto& text : options.labels) {
        const std::size_t equals = text.find('=');
        if (equals == std::string::npos || equals == 0)
            return Error{"--label " + policy::discreet(text) + " is not K=V", "write --label KEY=VALUE"};
        const std::string key = text.substr(0, equals);
        for (const auto& [known, value] : labels)
            if (known == key)
                return Error{"--label " + policy::discreet(key) + " is given twice", "a label has one value"};
        labels.emplace_back(key, text.substr(equals + 1));
    }
    return labels;
}

/// Seen now rather than when the command has run: a record that cannot be kept is no record.
Result<std::string> place_of_record(const std::string& path)
{
    if (path.empty())
        return path;
    const auto what = "--record " + path;
    const auto refused = [&what](const Error& error) { return Error{what + ": " + error.message, error.remedy}; };
    if (const auto checked = check_replaceable(path); !checked)
        return refused(checked.error());
    auto followed = follow({what, path}, shim::homes());
    if (!followed)
        return followed.error();
    const auto folder = std::filesystem::path(*followed).parent_path();
    if (::access(folder.c_str(), W_OK | X_OK) != 0)
        return Error{what + ": cannot write in " + folder.string() + ": " + std::strerror(errno),
                     "make that folder, or name a file in another one"};
    if (const auto checked = check_write_file(*followed); !checked)
        return refused(checked.error());
    return followed;
}

Result<std::string> journal_folder(const TaskOptions& options, const policy::OperatorSettings& settings,
                                   const Folders& where)
{
    if (!options.journal.empty())
        return follow({"--journal " + options.journal, options.journal}, shim::homes());
    const auto& directory = settings.journal_directory;
    if (!directory.empty())
        return follow({"journal.directory " + directory + " (" + options.config + ")", directory}, shim::homes());
    return {boost::system::in_place_value, where.journal()};
}

} // namespace

Result<Ok> check_task_name(const std::string& name)
{
    constexpr std::size_t longest = 48;
    const auto good = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
    if (name.empty() || name.size() > longest || name.front() == '-' || !std::all_of(name.begin(), name.end(), good))
        return Error{"--task " + name + " is not a task name", "use 1 to 48 of a-z, 0-9 and -, not starting with -"};
    return Ok{};
}

Result<TaskRequest> prepare_task(const TaskOptions& options, std::vector<std::string> command)
{
    auto record = place_of_record(options.record);
    if (!record)
        return record.error();
    const std::string task = options.task.empty() ? "task-" + certs::to_hex(certs::random_bytes(5)) : options.task;
    if (const auto checked = check_task_name(task); !checked)
        return checked.error();
    auto inputs = read_inputs(options.policy, options.credentials, options.config);
    if (!inputs)
        return inputs.error();
    if (const auto checked = check_writers(own_files(options, *inputs)); !checked)
        return checked.error();
    auto labels = labels_of(options);
    if (!labels)
        return labels.error();
    auto where = followed_folders();
    if (!where)
        return where.error();
    auto journal = journal_folder(options, inputs->settings, *where);
    if (!journal)
        return journal.error();
    if (const auto made = make_folder(where->state, 0755); !made)
        return made.error();
    return TaskRequest{.task = task,
                       .labels = std::move(*labels),
                       .inputs = std::move(*inputs),
                       .folders = std::move(*where),
                       .journal_folder = std::move(*journal),
                       .record = std::move(*record),
                       .command = std::move(command)};
}

} // namespace aduana::cli
