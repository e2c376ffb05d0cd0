// SPDX-License-Identifier: Apache-2.0
// Finding journals.
#include "cli/journals.hpp"

#include "audit/journal.hpp"
#include "cli/inputs.hpp"
#include "cli/installation.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>

namespace aduana::cli {

namespace {

constexpr std::string_view suffix = ".jsonl";

JournalFile journal_at(const std::string& path)
{
    return {path, audit::head_path_of(path)};
}

/// "2026-01-31-TASK.jsonl", or "2026-01-31-TASK.2.jsonl" for its second run of that day.
bool is_of_task(const std::filesystem::path& path, const std::string& task)
{
    constexpr std::size_t day = std::string_view("2026-01-31-").size();
    const std::string name = path.stem().string();
    if (task.empty() || name.size() < day)
        return task.empty();
    const std::string_view rest = std::string_view(name).substr(day);
    return rest == task || (rest.starts_with(task + ".") &&
                            rest.find_first_not_of("0123456789", task.size() + 1) == std::string_view::npos);
}

/// Opening a FIFO of that name would wait for its other end. The error is of this file alone, and skips it.
bool is_regular(const std::filesystem::directory_entry& entry)
{
    std::error_code error;
    return entry.is_regular_file(error);
}

} // namespace

Result<std::string> journal_folder_of(const AuditOptions& options)
{
    if (!options.journal.empty())
        return options.journal;
    const auto settings = read_settings(options.config);
    if (!settings)
        return settings.error();
    return settings->journal_directory.empty() ? folders().journal() : settings->journal_directory;
}

std::vector<std::string> heads_without_journal(const std::string& folder, const std::string& task)
{
    std::vector<std::string> alone;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
        auto journal = entry.path();
        journal.replace_extension(suffix);
        if (entry.path().extension() == ".head" && is_of_task(entry.path(), task) &&
            !std::filesystem::exists(journal, error))
            alone.push_back(entry.path().string());
    }
    std::sort(alone.begin(), alone.end());
    return alone;
}

Result<std::vector<JournalFile>> journals_of(const AuditOptions& options)
{
    std::vector<JournalFile> found;
    found.reserve(options.files.size());
    for (const auto& file : options.files)
        found.push_back(journal_at(file));
    if (!found.empty())
        return found;

    const auto folder = journal_folder_of(options);
    if (!folder)
        return folder.error();
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(*folder, error))
        if (entry.path().extension() == suffix && is_of_task(entry.path(), options.task) && is_regular(entry))
            found.push_back(journal_at(entry.path().string()));
    if (error)
        return Error{"cannot read the journal folder " + *folder + ": " + error.message(),
                     "give --journal DIR, or --config FILE with `journal.directory`"};
    if (found.empty() && !options.task.empty())
        return Error{"there is no journal of the task " + options.task + " in " + *folder,
                     "`aduana audit show` without --task lists what there is"};
    if (found.empty())
        return Error{"there is no journal in " + *folder, "run something first, or give --journal DIR"};
    std::sort(found.begin(), found.end(), [](const auto& left, const auto& right) { return left.path < right.path; });
    return found;
}

} // namespace aduana::cli
