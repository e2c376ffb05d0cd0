// SPDX-License-Identifier: Apache-2.0
// `aduana policy check`: every mistake of the files at once.
#include "cli/inputs.hpp"
#include "cli/installation.hpp"
#include "cli/options.hpp"
#include "cli/say.hpp"
#include "cli/source_files.hpp"

#include <cstddef>
#include <iostream>
#include <optional>

namespace aduana::cli {

namespace {

/// Counts mistakes over several files and prints them as they come.
class Findings {
public:
    void add(const std::vector<policy::LoadError>& errors)
    {
        say_block(policy::to_text(errors));
        count_ += errors.size();
    }
    void add(const Error& error)
    {
        say(error);
        ++count_;
    }
    [[nodiscard]] std::size_t count() const noexcept { return count_; }

private:
    std::size_t count_ = 0;
};

using Credentials = std::optional<std::vector<policy::CredentialDeclaration>>;

Credentials check_credentials(const std::string& file, Findings& findings)
{
    if (file.empty())
        return std::nullopt;
    const auto text = read_file(file, max_file);
    if (!text) {
        findings.add(text.error());
        return std::nullopt;
    }
    auto loaded = policy::load_credentials(*text, file);
    if (!loaded) {
        findings.add(loaded.error());
        return std::nullopt;
    }
    return std::move(*loaded);
}

void check_policy(const std::string& file, const Credentials& credentials, Findings& findings)
{
    const auto text = read_file(file, max_file);
    if (!text) {
        findings.add(text.error());
        return;
    }
    const auto loaded = policy::load_policy(*text, file);
    if (!loaded) {
        findings.add(loaded.error());
        return;
    }
    if (credentials)
        findings.add(policy::check_bindings(*loaded, *text, file, *credentials));
}

policy::OperatorSettings check_settings(const std::string& file, Findings& findings)
{
    if (file.empty())
        return {};
    const auto text = read_file(file, max_file);
    if (!text) {
        findings.add(text.error());
        return {};
    }
    auto loaded = policy::load_operator_settings(*text, file);
    if (loaded)
        return std::move(*loaded);
    findings.add(loaded.error());
    return {};
}

void check_files(const Credentials& credentials, uid_t broker, Findings& findings)
{
    if (!credentials)
        return;
    const auto found = check_sources(*credentials, broker);
    for (const auto& mistake : found.mistakes)
        findings.add(mistake);
    for (const auto& note : found.notes)
        say("note: " + note);
}

} // namespace

int policy_check(const PolicyCheckOptions& options)
{
    Findings findings;
    const auto settings = check_settings(options.config, findings);
    const Credentials credentials = check_credentials(options.credentials, findings);
    check_files(credentials, settings.broker_id, findings);
    for (const auto& file : options.files)
        check_policy(file, credentials, findings);
    if (findings.count() == 0) {
        std::cout << options.files.size()
                  << (options.files.size() == 1 ? " policy: no mistakes\n" : " policies: no mistakes\n");
        return exit_yes;
    }
    say(std::to_string(findings.count()) + (findings.count() == 1 ? " mistake" : " mistakes"));
    return exit_no;
}

} // namespace aduana::cli
