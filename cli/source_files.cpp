// SPDX-License-Identifier: Apache-2.0
// Files by their status alone.
#include "cli/source_files.hpp"

#include "cli/installation.hpp"
#include "cli/own_files.hpp"
#include "cli/secret_store.hpp"
#include "programs/program_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <variant>

namespace aduana::cli {

namespace {

constexpr off_t longest_source = 64 * 1024; // what the broker reads of one

constexpr mode_t anybody_executes = S_IXUSR | S_IXGRP | S_IXOTH;

/// errno where it cannot be looked at.
struct Seen {
    struct stat status {};
    int error = 0;
};

Seen look_at(const std::string& path)
{
    Seen seen;
    if (::stat(path.c_str(), &seen.status) != 0)
        seen.error = errno;
    return seen;
}

bool is_hidden(const Seen& seen)
{
    return seen.error == EACCES && ::geteuid() != 0;
}

class Look {
public:
    Look(const std::string& credential, uid_t broker, SourceFindings& findings)
        : whose_("credential `" + credential + "`: "), credential_(credential), broker_(broker), findings_(findings)
    {
    }

    void operator()(const policy::FileSource& source) const
    {
        const auto seen = look_at(source.path);
        if (is_hidden(seen))
            return note(source.path + " cannot be looked at by this user; check as root");
        if (seen.error != 0)
            return mistake("cannot read " + source.path + ": " + std::strerror(seen.error),
                           "make the file, or correct `file` in the credentials file");
        check_contents(source.path, seen.status);
        check_writers_of({"the secret of `" + credential_ + "`", source.path, Exposure::not_readable});
    }

    void operator()(const policy::EnvironmentSource& source) const
    {
        if (std::getenv(source.variable.c_str()) == nullptr)
            note("the variable " + source.variable + " is not set here; `aduana run` needs it");
    }

    void operator()(const policy::SealedSource& source) const
    {
        if (::geteuid() != 0)
            return note("the sealed secret `" + source.name + "` cannot be looked for by this user; check as root");
        if (const auto box = SecretStore(folders().secrets()).open_box(source.name); !box)
            mistake(box.error().message, box.error().remedy);
    }

    void operator()(const policy::ExecSource& source) const
    {
        const auto& program = source.command.front();
        const auto seen = look_at(program);
        const bool of_broker = seen.error == 0 && seen.status.st_uid == broker_ && ::geteuid() != broker_;
        if (is_hidden(seen) || (of_broker && ::geteuid() != 0))
            return note("the program " + program + " cannot be looked at by this user; check as root");
        if (const auto there = check_program_is_there(credential_, source); !there)
            return findings_.mistakes.push_back(there.error());
        if (const auto safe = check_program(program, broker_); !safe)
            return mistake("the program " + program + " " + safe.error().message,
                           "`aduana run` would not run it: the broker does, as uid " + std::to_string(broker_));
        for (const auto& word : source.command)
            if (word.starts_with('/'))
                check_writers_of({"the program of `" + credential_ + "`", word, Exposure::not_writable});
    }

private:
    void mistake(const std::string& message, const std::string& remedy) const
    {
        findings_.mistakes.push_back({whose_ + message, remedy});
    }
    void note(const std::string& text) const { findings_.notes.push_back(whose_ + text); }

    void check_contents(const std::string& path, const struct stat& status) const
    {
        if (!S_ISREG(status.st_mode)) {
            if (!S_ISFIFO(status.st_mode))
                mistake(path + " is neither a file nor a pipe", "name a file");
            return;
        }
        if (status.st_size == 0 || status.st_size > longest_source)
            mistake(path + " is empty or longer than 64 KiB", "is this the right file?");
        if ((status.st_mode & S_IRWXO) != 0)
            note("every user of this machine may open " + path + "; take that away with chmod o= " + path);
    }

    void check_writers_of(const OwnFile& file) const
    {
        if (const auto checked = check_writers({file}); !checked)
            findings_.mistakes.push_back(checked.error());
    }

    std::string whose_;
    const std::string& credential_;
    uid_t broker_;
    SourceFindings& findings_;
};

} // namespace

Result<Ok> check_program_is_there(const std::string& credential, const policy::ExecSource& source)
{
    const auto& program = source.command.front();
    const auto wrong = [&](const std::string& why) {
        return Error{"credential `" + credential + "`: cannot run " + program + ": " + why,
                     "install the program, or correct `source.exec.command` in the credentials file"};
    };
    const auto seen = look_at(program);
    if (seen.error != 0)
        return wrong(std::strerror(seen.error));
    if (!S_ISREG(seen.status.st_mode))
        return wrong("it is no file");
    if ((seen.status.st_mode & anybody_executes) == 0)
        return wrong("it is not executable");
    return Ok{};
}

SourceFindings check_sources(const std::vector<policy::CredentialDeclaration>& credentials, uid_t broker)
{
    SourceFindings findings;
    for (const auto& credential : credentials) {
        const Look look(credential.name, broker, findings);
        if (const auto* program = std::get_if<policy::ExecSource>(&credential.source))
            look(*program);
        for (const auto& part : policy::secret_parts(credential.source))
            std::visit(look, part.reference);
    }
    return findings;
}

} // namespace aduana::cli
