// SPDX-License-Identifier: Apache-2.0
// Remedies: keys of a rule, written as YAML that means one thing only.
#include "proxy/core/remedy.hpp"

#include "policy/address.hpp"
#include "policy/path.hpp"
#include "policy/special_names.hpp"
#include "proxy/core/grammar.hpp"
#include "proxy/core/placeholder_search.hpp"
#include "proxy/core/preset_remedy.hpp"

#include <algorithm>
#include <array>

namespace aduana::proxy {

namespace {

using policy::Reason;

constexpr std::size_t longest_path = 120; // what follows it must fit into a line of a terminal, too
constexpr std::size_t longest_method = 32;
constexpr std::string_view whole_server = "*"; // OPTIONS *: RFC 9112 section 3.2.4

std::string in_capitals(std::string_view text)
{
    std::string capitals(text);
    std::ranges::transform(text, capitals.begin(),
                           [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
    return capitals;
}

std::string in_quotes(std::string_view text)
{
    return "\"" + std::string(text) + "\"";
}

/// " and `ports: [p]`" where a rule would not have the port by itself.
std::string port_key(const policy::Attempt& attempt)
{
    if (attempt.port == policy::default_port(attempt.scheme))
        return {};
    return " and `ports: [" + std::to_string(attempt.port) + "]`";
}

/// No reader of YAML takes it for anything but text: not for null, true, a number, a list.
bool is_plain_text(std::string_view text)
{
    constexpr auto constants =
        std::to_array<std::string_view>({"NULL", "TRUE", "FALSE", "YES", "NO", "ON", "OFF", "Y", "N"});
    const auto is_of_words = [](char c) { return is_alpha(c) || is_digit(c) || c == '-' || c == '.'; };
    return !text.empty() && is_alpha(text.front()) && std::ranges::all_of(text, is_of_words) &&
           std::ranges::find(constants, in_capitals(text)) == constants.end();
}

std::string yaml_text(std::string_view text)
{
    return is_plain_text(text) ? std::string(text) : in_quotes(text);
}

std::string host_key(const policy::Attempt& attempt)
{
    return "`hosts: [" + yaml_text(attempt.host.text()) + "]`";
}

/// "`hosts: [h]`", and scheme and port where a rule would not have them by itself.
std::string rule_keys(const policy::Attempt& attempt)
{
    std::string keys = host_key(attempt);
    if (attempt.scheme != policy::Scheme::https)
        keys += " and `scheme: " + std::string(policy::name_of(attempt.scheme)) + "`";
    return keys + port_key(attempt);
}

/// Why no rule can open the host; empty for most.
std::string_view closed_for_ever(const policy::Host& host)
{
    constexpr std::string_view metadata = "no rule can open it: it belongs to a cloud's instance metadata service; a "
                                          "credential with `placeholder: {metadata: ...}` answers in its place";
    const auto& ip = host.ip();
    if (!ip)
        return policy::names_metadata_service(host) ? metadata : std::string_view();
    switch (policy::classify(*ip)) {
    case policy::AddressClass::metadata:
        return metadata;
    case policy::AddressClass::benchmarking:
        return "no rule can open it: it belongs to Aduana's own gateways; ask for the host by its name";
    default:
        return {};
    }
}

/// Empty: a rule can allow the method.
std::string remedy_without_rule_for_method(std::string_view method)
{
    const auto capitals = in_capitals(method);
    if (capitals == "TRACE")
        return "use another method: no rule can allow TRACE, which echoes credentials";
    if (capitals == "CONNECT")
        return "send the request itself: no rule can allow CONNECT where a connection is open already";
    if (method.size() > longest_method)
        return "use a method that the rule lists";
    if (capitals != method)
        return "send " + capitals + ": methods are case-sensitive, and rules list them in upper case";
    return {};
}

/// A stand-in is another one in every task: `*` in its place. One that is shaped like a JWT begins before its core and
/// ends behind it.
std::string without_placeholders(std::string_view path)
{
    constexpr std::string_view jwt = "eyJ";
    std::string text(path);
    find_cores(path, [&text, jwt](std::string_view core) {
        auto begin = text.find(core);
        if (begin == std::string::npos)
            return;
        auto end = begin + core.size();
        const auto segment = text.rfind('/', begin) + 1;
        if (const auto shaped = text.find(jwt, segment); shaped < begin) {
            begin = shaped;
            end = std::min(text.find('/', end), text.size());
        }
        text.replace(begin, end - begin, "*");
    });
    return text;
}

std::string remedy_for_path(const policy::Attempt& attempt)
{
    const auto path = attempt.path.value_or("/");
    const auto under = " of an allow rule with " + rule_keys(attempt);
    if (path.find('*') != std::string_view::npos)
        return "write by hand what may be asked for under `paths`" + under +
               ": this path holds `*`, which stands for any name there";
    const auto text = without_placeholders(path);
    const auto pattern = policy::PathPattern::parse(text);
    if (text.size() > longest_path || !pattern || !pattern->matches(path))
        return "write by hand what may be asked for under `paths`" + under;
    return "add `paths: [" + in_quotes(text) + "]` to an allow rule with " + rule_keys(attempt);
}

/// A rule of its own would go round the preset that the host has elsewhere.
std::string with_preset(const policy::TaskPolicy& policy, const policy::Attempt& attempt, std::string remedy)
{
    const auto* const rule = rule_with_preset(policy, attempt.host);
    if (rule == nullptr)
        return remedy;
    if (attempt.scheme == policy::Scheme::tcp)
        return "send requests: the preset " + rule->preset.name + " of rule " + in_quotes(rule->name) +
               " could not look into a raw connection";
    return remedy + " and the preset of rule " + in_quotes(rule->name);
}

std::string remedy_for_request(Reason reason, const policy::Attempt& attempt, const policy::TaskPolicy& policy)
{
    const bool of_path = reason == Reason::path_not_allowed;
    if (of_path && attempt.path == whole_server)
        return "ask for a path: no `paths` of a rule covers *";
    const auto method = attempt.method.value_or("GET");
    if (auto remedy = of_path ? std::string() : remedy_without_rule_for_method(method); !remedy.empty())
        return remedy;
    if (auto preset = remedy_under_preset(policy, attempt); !preset.empty())
        return preset;
    if (of_path)
        return remedy_for_path(attempt);
    return "add `methods: [" + yaml_text(method) + "]` to an allow rule with " + rule_keys(attempt);
}

} // namespace

std::string remedy_for(Reason reason, const policy::Attempt& attempt, std::string_view rule,
                       const policy::TaskPolicy& policy)
{
    const auto closed = closed_for_ever(attempt.host);
    if (!closed.empty())
        return std::string(closed);
    switch (reason) {
    case Reason::no_rule:
        return "add an allow rule with " + rule_keys(attempt) + ", or use an allowed host";
    case Reason::denied_by_rule:
        if (attempt.scheme == policy::Scheme::tcp)
            return "use another destination, or narrow the deny rule " + in_quotes(rule) + " by `scheme` or `ports`";
        return "use another destination, or narrow the deny rule " + in_quotes(rule);
    case Reason::closed_by_preset:
        return remedy_by_flag(policy, attempt);
    case Reason::method_not_allowed:
    case Reason::path_not_allowed:
        return remedy_for_request(reason, attempt, policy);
    case Reason::websocket_not_allowed:
        return "add `websocket: true` to the rule " + in_quotes(rule);
    case Reason::port_not_allowed:
        return with_preset(policy, attempt,
                           "add `ports: [" + std::to_string(attempt.port) + "]` to an allow rule with " +
                               host_key(attempt));
    case Reason::scheme_not_allowed:
        return with_preset(policy, attempt,
                           "add an allow rule with `scheme: " + std::string(policy::name_of(attempt.scheme)) +
                               "` and " + host_key(attempt) + port_key(attempt));
    default:
        return {};
    }
}

} // namespace aduana::proxy
