// SPDX-License-Identifier: Apache-2.0
// Where the files of a run lie, compared with what the command will see.
#include "cli/own_files.hpp"

#include "cli/installation.hpp"

#include <algorithm>
#include <filesystem>
#include <variant>

namespace aduana::cli {

namespace {

std::string canonical(const std::string& path)
{
    std::error_code error;
    const auto absolute = std::filesystem::absolute(path, error);
    const auto real = std::filesystem::weakly_canonical(absolute, error);
    return error ? absolute.lexically_normal().string() : real.string();
}

bool lies_in(const std::string& path, const std::string& folder)
{
    return path == folder || path.starts_with(folder.ends_with('/') ? folder : folder + "/");
}

Result<Ok> check(const OwnFile& file, const std::string& folder, shim::MountMode mode)
{
    const bool matters = mode == shim::MountMode::read_write || file.exposure == Exposure::not_readable;
    if (!matters || !lies_in(canonical(file.path), folder))
        return Ok{};
    const bool secret = file.exposure == Exposure::not_readable;
    return Error{file.what + ", " + file.path + ", lies in " + folder + ", where the command could " +
                     (secret ? "read it" : "change it for its next run"),
                 "keep it elsewhere, such as in /etc/aduana, or choose another folder with --workdir"};
}

} // namespace

std::vector<OwnFile> own_files(const RunOptions& options, const Inputs& inputs)
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
    for (const auto& path : inputs.settings.extra_ca)
        add("a root certificate of the operator", path, Exposure::not_writable);
    for (const auto& credential : inputs.credentials) {
        // An argument may be a script.
        if (const auto* program = std::get_if<policy::ExecSource>(&credential.source))
            for (const auto& word : program->command)
                add("the program of `" + credential.name + "`", word.starts_with('/') ? word : "",
                    Exposure::not_writable);
        for (const auto& part : policy::secret_parts(credential.source)) {
            if (const auto* source = std::get_if<policy::FileSource>(&part.reference))
                add("the secret of `" + credential.name + "`", source->path, Exposure::not_readable);
            if (std::holds_alternative<policy::SealedSource>(part.reference))
                add("the store with the secret of `" + credential.name + "`", folders().secrets(),
                    Exposure::not_readable);
        }
    }
    return files;
}

Result<Ok> check_own_files(const std::vector<OwnFile>& files, const shim::SandboxSpec& spec)
{
    for (const auto& file : files) {
        if (auto checked = check(file, spec.work_folder, shim::MountMode::read_write); !checked)
            return checked;
        for (const auto& mount : spec.mounts) {
            if (auto checked = check(file, mount.path, mount.mode); !checked)
                return checked;
        }
    }
    return Ok{};
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
