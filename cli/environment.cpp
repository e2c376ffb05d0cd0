// SPDX-License-Identifier: Apache-2.0
// Variables in, variables out.
#include "cli/environment.hpp"

#include "policy/discreet.hpp"
#include "policy/load/load.hpp"
#include "sandbox-shim/spec.hpp"

#include <algorithm>
#include <cstdlib>

namespace aduana::cli {

namespace {

bool is_variable_name(std::string_view name)
{
    const auto letter = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; };
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    return !name.empty() && letter(name.front()) &&
           std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || digit(c); });
}

Result<Ok> check_name(const std::string& option, const std::string& name)
{
    if (!is_variable_name(name))
        return Error{option + ": `" + policy::discreet(name) + "` is not the name of a variable",
                     "use letters, digits and _"};
    if (policy::is_reserved_variable(name))
        return Error{option + ": " + name + " is set by Aduana, so that the command finds the proxy and trusts it",
                     "leave it out"};
    return Ok{};
}

void put_all(Environment& into, const Environment& from)
{
    for (const auto& [name, value] : from)
        into[name] = value;
}

} // namespace

Environment compose(const EnvironmentParts& parts)
{
    Environment result = shim::base_environment();
    put_all(result, parts.passed);
    put_all(result, parts.policy);
    put_all(result, parts.options);
    for (const auto& [name, value] : parts.placeholders)
        result[name] = value;
    return result;
}

Result<std::pair<std::string, std::string>> parse_variable(const std::string& option, const std::string& text)
{
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) {
        const auto shown = policy::discreet(text);
        const auto name = shown == text ? text : std::string("NAME");
        return Error{option + " " + shown + " has no value",
                     "write " + option + " " + name + "=VALUE, or --env-pass " + name};
    }
    std::pair<std::string, std::string> variable{text.substr(0, equals), text.substr(equals + 1)};
    if (const auto checked = check_name(option, variable.first); !checked)
        return checked.error();
    return variable;
}

Result<Environment> passed_from_caller(const std::string& option, const std::vector<std::string>& names)
{
    Environment result;
    for (const auto& name : names) {
        if (const auto checked = check_name(option, name); !checked)
            return checked.error();
        if (const char* value = std::getenv(name.c_str()); value != nullptr)
            result[name] = value;
    }
    return result;
}

} // namespace aduana::cli
