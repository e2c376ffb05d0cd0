// SPDX-License-Identifier: Apache-2.0
// A library says whether it is JSON; then a walk that may rely on that says where the value stands.
#include "proxy/core/json_member.hpp"

#include "proxy/core/json_walk.hpp"

#include <boost/json.hpp>

namespace aduana::proxy {

namespace {

Failure misplaced(std::string detail)
{
    return {policy::Reason::credential_misplaced, Party::client, std::move(detail)};
}

} // namespace

std::string json_unescaped(std::string_view raw)
{
    boost::json::error_code error;
    const auto value = boost::json::parse("\"" + std::string(raw) + "\"", error);
    return !error && value.is_string() ? std::string(value.get_string().c_str(), value.get_string().size())
                                       : std::string();
}

Outcome<Slot> find_json_string(std::string_view text, std::string_view pointer)
{
    if (!is_json(text))
        return misplaced("its body is not JSON, or nested deeper than 32 levels");
    JsonWalk walk(text);
    for (auto rest = pointer; !rest.empty();) {
        const auto token = rest.substr(1, rest.find('/', 1) - 1);
        rest.remove_prefix(token.size() + 1);
        const char kind = walk.kind();
        if (kind == '{' && walk.has_name_with_nul())
            return misplaced("its JSON has a name with U+0000 beside " + std::string(pointer));
        if (kind == '{' && walk.has_member_like(pointer_name(token)))
            return misplaced("its JSON has a second " + std::string(pointer) + " in another case");
        const bool entered =
            (kind == '{' && walk.enter_member(pointer_name(token))) || (kind == '[' && walk.enter_element(token));
        if (!entered)
            return misplaced("its JSON must have " + std::string(pointer) + " exactly once");
    }
    if (walk.kind() != '"')
        return misplaced("its JSON must have a string at " + std::string(pointer));
    return walk.string();
}

} // namespace aduana::proxy
