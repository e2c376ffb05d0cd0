// SPDX-License-Identifier: Apache-2.0
// Any text as each of the three files: it loads as something sound, or it is refused with sound messages.
#include "policy/load/load.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

namespace {

using namespace aduana::policy;

void require(bool condition)
{
    if (!condition)
        std::abort();
}

bool stands_before(const LoadError& left, const LoadError& right)
{
    return std::pair(left.place.line, left.place.column) < std::pair(right.place.line, right.place.column);
}

/// Each mistake has a place inside the text, says something, and cannot write on a terminal.
void check_errors(const std::vector<LoadError>& errors, std::string_view text)
{
    const auto lines = std::count(text.begin(), text.end(), '\n') + 1;
    for (const auto& error : errors) {
        require(!error.message.empty() && !error.remedy.empty() && !error.code.empty());
        require(error.place.line <= lines && error.caret <= error.source_line.size());
        const auto shown = error.message + error.remedy + error.source_line;
        require(std::none_of(shown.begin(), shown.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }));
    }
    const auto located =
        std::find_if(errors.rbegin(), errors.rend(), [](auto& error) { return error.code != "too-many"; });
    require(std::is_sorted(errors.begin(), located.base(), stands_before));
}

template <class T>
void check_outcome(const Loaded<T>& loaded, std::string_view text)
{
    if (loaded)
        return;
    require(!loaded.error().empty());
    check_errors(loaded.error(), text);
}

void check_allow(const Rule& rule)
{
    require(!rule.ports.empty() && rule.scheme.has_value());
    const auto any = [](const HostPattern& host) { return host.kind() == HostPattern::Kind::any; };
    if (rule.credential)
        require(rule.scheme == Scheme::https && std::none_of(rule.hosts.begin(), rule.hosts.end(), any));
    for (const auto& method : rule.methods)
        require(method != "TRACE" && method != "CONNECT");
}

void check_policy(const TaskPolicy& policy, std::string_view text)
{
    std::set<std::string> names;
    for (const auto* rules : {&policy.allow(), &policy.deny()}) {
        for (const auto& rule : *rules)
            require(!rule.hosts.empty() && rule.place.line > 0 && names.insert(rule.name).second);
    }
    for (const auto& rule : policy.deny())
        require(!rule.credential && rule.addresses.empty());
    std::size_t with_credential = 0;
    for (const auto& rule : policy.allow()) {
        check_allow(rule);
        with_credential += rule.credential ? 1 : 0;
    }
    const auto errors = check_bindings(policy, text, "policy.yaml", {});
    check_errors(errors, text);
    require(errors.size() == std::min<std::size_t>(with_credential, 101));
}

void check_credentials(const std::vector<CredentialDeclaration>& credentials)
{
    std::set<std::string> variables;
    for (const auto& credential : credentials) {
        require(!credential.name.empty() && !credential.destinations.empty());
        for (const auto& bound : credential.destinations)
            require(!bound.hosts.empty() && !bound.ports.empty());
        for (const auto& variable : credential.placeholder_env)
            require(variables.insert(variable).second);
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto policy = load_policy(text, "policy.yaml");
    check_outcome(policy, text);
    if (policy)
        check_policy(*policy, text);
    const auto credentials = load_credentials(text, "credentials.yaml");
    check_outcome(credentials, text);
    if (credentials)
        check_credentials(*credentials);
    const auto settings = load_operator_settings(text, "aduana.yaml");
    check_outcome(settings, text);
    if (settings)
        require(settings->proxy_id != settings->broker_id && settings->proxy_id != 0 && settings->sandbox_id != 0);
    return 0;
}
