// SPDX-License-Identifier: Apache-2.0
// Names, labels, input files and folders of a task.
#include "cli/task_request.hpp"

#include "certs/digest.hpp"
#include "cli/own_files.hpp"

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
            return Error{"--label " + text + " is not K=V", "write --label KEY=VALUE"};
        const std::string key = text.substr(0, equals);
        for (const auto& [known, value] : labels)
            if (known == key)
                return Error{"--label " + key + " is given twice", "a label has one value"};
        labels.emplace_back(key, text.substr(equals + 1));
    }
    return labels;
}

/// Seen now rather than when the command has run: a record that cannot be kept is no record.
Result<Ok> check_record_file(const std::string& path)
{
    if (path.empty())
        return Ok{};
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
        return Error{"--record " + path + " is not a file", "name a file; one that exists is replaced"};
    const auto folder = std::filesystem::absolute(path).parent_path();
    if (::access(folder.c_str(), W_OK | X_OK) != 0)
        return Error{"--record " + path + ": cannot write in " + folder.string() + ": " + std::strerror(errno),
                     "make that folder, or name a file in another one"};
    return Ok{};
}

std::string journal_folder(const TaskOptions& options, const policy::OperatorSettings& settings, const Folders& where)
{
    const std::string& chosen = !options.journal.empty() ? options.journal : settings.journal_directory;
    return chosen.empty() ? where.journal() : std::filesystem::absolute(chosen).lexically_normal().string();
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
    if (const auto checked = check_record_file(options.record); !checked)
        return checked.error();
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
    const Folders where = folders();
    if (const auto made = make_folder(where.state, 0755); !made)
        return made.error();
    std::string journal = journal_folder(options, inputs->settings, where);
    return TaskRequest{.task = task,
                       .labels = std::move(*labels),
                       .inputs = std::move(*inputs),
                       .folders = where,
                       .journal_folder = std::move(journal),
                       .command = std::move(command)};
}

} // namespace aduana::cli
