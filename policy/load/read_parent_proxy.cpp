// SPDX-License-Identifier: Apache-2.0
// A parent proxy is a host and a port in the shape of a URL, and nothing else that a URL can hold.
#include "policy/load/read_parent_proxy.hpp"

#include "policy/load/values.hpp"
#include "policy/quote.hpp"

#include <algorithm>
#include <array>

namespace aduana::policy::load {

namespace {

constexpr std::array<std::string_view, 3> keys{"url", "credential", "except"};
constexpr KeyTable table{"`parent_proxy`", keys};
constexpr std::string_view scheme = "http://";
constexpr std::string_view shape = "write \"http://HOST:PORT\"";

Result<Authority> read_url(std::string_view url)
{
    if (url.starts_with("https://"))
        return Error{"a parent proxy that is itself behind TLS is not available yet", std::string(shape)};
    if (!url.starts_with(scheme))
        return Error{quoted(url) + " is not the URL of a parent proxy", std::string(shape)};
    auto place = url.substr(scheme.size());
    if (place.ends_with('/'))
        place.remove_suffix(1);
    if (place.find('@') != place.npos)
        return Error{"the URL of the parent proxy holds a user",
                     "bind user and password in the credentials file, and name that credential in `credential`"};
    auto authority = parse_authority(place);
    if (!authority)
        return Error{quoted(url) + ": " + authority.error().message, std::string(shape)};
    if (authority->port.value_or(0) == 0)
        return Error{"the URL of the parent proxy names no port", std::string(shape)};
    return authority;
}

std::vector<HostPattern> read_except(const Node& node, Mistakes& mistakes)
{
    auto hosts = read_hosts(node, "except", mistakes);
    if (std::ranges::find(hosts, HostPattern::Kind::any, &HostPattern::kind) != hosts.end())
        mistakes.add(node.place, Mistake::parent_excepts_all);
    return hosts;
}

} // namespace

std::optional<ParentProxy> read_parent_proxy(const Node& node, Mistakes& mistakes)
{
    const Fields fields(node, "`parent_proxy`", table, mistakes);
    std::string credential;
    std::vector<HostPattern> except;
    if (const auto* name = fields.find("credential")) {
        credential = read_text(*name, "`credential`", mistakes).value_or("");
        if (!credential.empty())
            check_name(credential, name->place, mistakes);
    }
    if (const auto* hosts = fields.find("except"))
        except = read_except(*hosts, mistakes);
    const auto* url = fields.require("url", "`url: \"http://HOST:PORT\"`");
    const auto text = url ? read_text(*url, "`url`", mistakes) : std::nullopt;
    if (!text)
        return std::nullopt;
    auto place = read_url(*text);
    if (!place) {
        mistakes.add(url->place, Mistake::parent_url_invalid, {place.error().message, place.error().remedy});
        return std::nullopt;
    }
    return ParentProxy{std::move(place->host), place->port.value_or(0), std::move(credential), std::move(except)};
}

void check_fixed_hosts(const Node& hosts, const ParentProxy& parent, Mistakes& mistakes)
{
    for (const auto& entry : hosts.entries) {
        const auto host = Host::parse(entry.key);
        const bool direct = !host || *host == parent.host ||
                            std::ranges::any_of(parent.except, [&](const auto& one) { return one.matches(*host); });
        if (!direct)
            mistakes.add(entry.place, Mistake::fixed_host_behind_parent, {quoted(entry.key)});
    }
}

} // namespace aduana::policy::load
