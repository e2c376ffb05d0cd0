// SPDX-License-Identifier: Apache-2.0
// Remedies: keys of a rule, written as YAML that means one thing only.
#include "proxy/core/remedy.hpp"

#include "policy/address.hpp"
#include "policy/path.hpp"
#include "proxy/core/grammar.hpp"

#include <algorithm>

namespace aduana::proxy {

namespace {

using policy::Reason;

constexpr std::size_t longest_path = 120; // what follows it must fit into a line of a terminal, too
constexpr std::size_t longest_method = 32;
constexpr std::string_view whole_server = "*"; // OPTIONS *: RFC 9112 section 3.2.4

char ascii_upper(char c)
{
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
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

std::string host_key(const policy::Attempt& attempt)
{
    return "`hosts: [" + attempt.host.text() + "]`";
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
    const auto& ip = host.ip();
    if (!ip)
        return {};
    switch (policy::classify(*ip)) {
    case policy::AddressClass::metadata:
        return "no rule can open it: it belongs to a cloud's instance metadata service; a credential with "
               "`placeholder: {metadata: ...}` answers in its place";
    case policy::AddressClass::benchmarking:
        return "no rule can open it: it belongs to Aduana's own gateways; ask for the host by its name";
    default:
        return {};
    }
}

std::string remedy_for_method(const policy::Attempt& attempt)
{
    const std::string method(attempt.method.value_or("GET"));
    std::string capitals = method;
    std::transform(capitals.begin(), capitals.end(), capitals.begin(), ascii_upper);
    if (capitals == "TRACE")
        return "use another method: no rule can allow TRACE, which echoes credentials";
    if (capitals == "CONNECT")
        return "send the request itself: no rule can allow CONNECT where a connection is open already";
    if (method.size() > longest_method)
        return "use a method that the rule lists";
    if (capitals != method)
        return "send " + capitals + ": methods are case-sensitive, and rules list them in upper case";
    // A token may hold what means something to YAML: "*", "!", "~".
    const bool plain = std::all_of(method.begin(), method.end(), is_alpha) && method != "NULL";
    return "add `methods: [" + (plain ? method : in_quotes(method)) + "]` to an allow rule with " + rule_keys(attempt);
}

/// A pattern of `paths` with this text matches this path. What double quotes would end is no pattern: it is ambiguous.
bool is_a_pattern(std::string_view path)
{
    const auto pattern = policy::PathPattern::parse(path);
    return pattern && pattern->matches(path);
}

std::string remedy_for_path(const policy::Attempt& attempt)
{
    const auto path = attempt.path.value_or("/");
    if (path == whole_server)
        return "ask for a path: no `paths` of a rule covers *";
    const auto under = " of an allow rule with " + rule_keys(attempt);
    if (path.find('*') != std::string_view::npos)
        return "write by hand what may be asked for under `paths`" + under +
               ": this path holds `*`, which stands for any name there";
    if (path.size() > longest_path || !is_a_pattern(path))
        return "write by hand what may be asked for under `paths`" + under;
    return "add `paths: [" + in_quotes(path) + "]` to an allow rule with " + rule_keys(attempt);
}

} // namespace

std::string remedy_for(Reason reason, const policy::Attempt& attempt, std::string_view rule)
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
    case Reason::method_not_allowed:
        return remedy_for_method(attempt);
    case Reason::path_not_allowed:
        return remedy_for_path(attempt);
    case Reason::websocket_not_allowed:
        return "add `websocket: true` to the rule " + in_quotes(rule);
    case Reason::port_not_allowed:
        return "add `ports: [" + std::to_string(attempt.port) + "]` to an allow rule with " + host_key(attempt);
    case Reason::scheme_not_allowed:
        return "add an allow rule with `scheme: " + std::string(policy::name_of(attempt.scheme)) + "` and " +
               host_key(attempt) + port_key(attempt);
    default:
        return {};
    }
}

} // namespace aduana::proxy
