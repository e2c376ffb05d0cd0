// SPDX-License-Identifier: Apache-2.0
// Where the files of a run lie, compared with what the command will see.
#include "cli/own_files.hpp"

#include "cli/installation.hpp"
#include "cli/path_walk.hpp"
#include "sandbox-shim/facts.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <variant>

namespace aduana::cli {

namespace {

struct Shown {
    shim::BindMount mount;
    std::string instead; ///< of keeping a file elsewhere; empty: nothing
};

Error exposed(const OwnFile& file, const Shown& shown)
{
    const bool secret = file.exposure == Exposure::not_readable;
    return {file.what + ", " + file.path + ", lies in " + shown.mount.path + ", where the command could " +
                (secret ? "read it" : "change it for its next run"),
            "keep it elsewhere, such as in /etc/aduana" + shown.instead};
}

/// `entries` are the way to the file.
Result<Ok> check(const OwnFile& file, const std::vector<std::string>& entries, const Shown& shown)
{
    const auto& folder = shown.mount.path;
    const bool writable = shown.mount.mode == shim::MountMode::read_write;
    if (!writable && file.exposure == Exposure::not_writable)
        return Ok{};
    if (lies_in(entries.back(), folder))
        return exposed(file, shown);
    if (!writable)
        return Ok{};
    // The name of the shown folder itself is not the command's, but every name in it is: a link can be pointed
    // elsewhere, a folder on the way moved and another one made in its place.
    for (const auto& entry : entries) {
        if (lies_below(entry, folder))
            return Error{file.what + ", " + file.path + ", is reached through " + entry +
                             ", which the command could replace for its next run",
                         "name the file where it is, by a path that does not lead through " + folder};
    }
    return Ok{};
}

std::vector<Shown> shown_folders(const shim::SandboxSpec& spec)
{
    std::vector<Shown> shown;
    shown.reserve(spec.mounts.size() + 1);
    shown.push_back({{spec.work_folder, spec.work_folder, shim::MountMode::read_write},
                     ", or choose another folder with --workdir"});
    for (const auto& mount : spec.mounts)
        shown.push_back({mount, ", or leave that folder out of --ro and --rw"});
    return shown;
}

/// A hard link cannot leave its file system.
bool could_be_linked_in(const struct stat& file, Exposure exposure, const shim::BindMount& shown)
{
    struct stat folder {};
    const bool matters = shown.mode == shim::MountMode::read_write || exposure == Exposure::not_readable;
    return matters && ::stat(shown.path.c_str(), &folder) == 0 && folder.st_dev == file.st_dev;
}

/// A device or a pipe is whoever made it.
bool is_open_to_all(const struct stat& status)
{
    if ((status.st_mode & S_IWOTH) == 0)
        return false;
    return S_ISREG(status.st_mode) || (S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX) == 0);
}

/// Files of the source of `credential`.
void add_files(std::vector<OwnFile>& files, const policy::CredentialDeclaration& credential)
{
    const auto whose = " of `" + credential.name + "`";
    if (const auto* program = std::get_if<policy::ExecSource>(&credential.source)) {
        // An argument may be a script.
        for (const auto& word : program->command)
            if (word.starts_with('/'))
                files.push_back({"the program" + whose, word, Exposure::not_writable});
    }
    for (const auto& part : policy::secret_parts(credential.source)) {
        if (const auto* source = std::get_if<policy::FileSource>(&part.reference))
            files.push_back({"the secret" + whose, source->path, Exposure::not_readable});
        if (std::holds_alternative<policy::SealedSource>(part.reference))
            files.push_back({"the store with the secret" + whose, folders().secrets(), Exposure::not_readable});
    }
}

} // namespace

std::vector<OwnFile> own_files(const TaskOptions& options, const Inputs& inputs)
{
    std::vector<OwnFile> files;
    const auto add = [&files](const std::string& what, const std::string& path, Exposure exposure) {
        if (!path.empty())
            files.push_back({what, path, exposure});
    };
    add("the policy", options.policy, Exposure::not_writable);
    add("the credentials file", options.credentials, Exposure::not_readable);
    add("the operator's file", options.config, Exposure::not_writable);
    add("the task record", options.record, Exposure::not_writable);
    add("the state folder", folders().state, Exposure::not_writable);
    add("the journal's folder", options.journal.empty() ? inputs.settings.journal_directory : options.journal,
        Exposure::not_writable);
    for (const auto& path : inputs.settings.extra_ca)
        add("a root certificate of the operator", path, Exposure::not_writable);
    for (const auto& credential : inputs.credentials)
        add_files(files, credential);
    return files;
}

Result<Ok> check_writers(const std::vector<OwnFile>& files)
{
    for (const auto& file : files) {
        const auto way = walk(file.path);
        if (!way)
            return Error{file.what + ", " + way.error().message, way.error().remedy};
        for (const auto& entry : way->entries) {
            struct stat status {};
            if (::lstat(entry.c_str(), &status) != 0 || !is_open_to_all(status))
                continue;
            const bool itself = entry == way->entries.back();
            return Error{file.what + ", " + file.path + (itself ? ", can" : ", lies below " + entry + ", which can") +
                             " be changed by everybody on this machine",
                         "chmod o-w " + entry};
        }
    }
    return Ok{};
}

Result<Ok> check_own_files(const std::vector<OwnFile>& files, const shim::SandboxSpec& spec)
{
    auto shown = shown_folders(spec);
    for (const char* folder : shim::system_folder_names)
        shown.push_back({{folder, folder, shim::MountMode::read_only}, {}});
    for (const auto& file : files) {
        const auto way = walk(file.path);
        if (!way)
            return Error{file.what + ", " + way.error().message, way.error().remedy};
        for (const auto& folder : shown) {
            if (auto checked = check(file, way->entries, folder); !checked)
                return checked;
        }
    }
    return Ok{};
}

std::vector<std::string> hard_link_warnings(const std::vector<OwnFile>& files, const shim::SandboxSpec& spec)
{
    const auto shown = shown_folders(spec);
    std::vector<std::string> warnings;
    for (const auto& file : files) {
        struct stat status {};
        if (::stat(file.path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_nlink < 2)
            continue;
        const auto near = [&](const auto& folder) { return could_be_linked_in(status, file.exposure, folder.mount); };
        if (std::ranges::any_of(shown, near))
            warnings.push_back(file.what + ", " + file.path + ", has " + std::to_string(status.st_nlink) +
                               " names (hard links): if the command can reach one of them, it has the file; make a "
                               "copy of it with one name (cp), and use that");
    }
    return warnings;
}

Result<Ok> check_passed_variables(const std::vector<std::string>& names, const Inputs& inputs)
{
    for (const auto& credential : inputs.credentials) {
        for (const auto& part : policy::secret_parts(credential.source)) {
            const auto* source = std::get_if<policy::EnvironmentSource>(&part.reference);
            if (source != nullptr && std::ranges::find(names, source->variable) != names.end())
                return Error{"--env-pass " + source->variable + " would show the command the secret of `" +
                                 credential.name + "`",
                             "leave it out: the credential is added to requests outside of the sandbox"};
        }
    }
    return Ok{};
}

} // namespace aduana::cli
