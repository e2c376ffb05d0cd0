// SPDX-License-Identifier: Apache-2.0
// The index of rules by host: one look-up for the name, one for each of its parent domains, one list for "*".
#include "policy/task_policy.hpp"

#include <algorithm>

namespace aduana::policy {

std::string_view name_of(Scheme scheme)
{
    switch (scheme) {
    case Scheme::https:
        return "https";
    case Scheme::http:
        return "http";
    case Scheme::tcp:
        return "tcp";
    }
    return "";
}

std::uint16_t default_port(Scheme scheme)
{
    switch (scheme) {
    case Scheme::https:
        return 443;
    case Scheme::http:
        return 80;
    case Scheme::tcp:
        break;
    }
    return 0;
}

TaskPolicy::TaskPolicy(PolicyParts parts)
    : parts_(std::move(parts)),
      looks_at_fields_(std::ranges::any_of(parts_.allow, [](const Rule& rule) { return !rule.preset.fields.empty(); }))
{
    const auto index_all = [](Index& index, const std::vector<Rule>& rules) {
        for (std::uint32_t i = 0; i < rules.size(); ++i)
            for (const HostPattern& pattern : rules[i].hosts)
                index.add(pattern, i);
    };
    index_all(allow_, parts_.allow);
    index_all(deny_, parts_.deny);
}

bool TaskPolicy::never_intercept(const Host& host) const
{
    return std::ranges::any_of(parts_.tunnel, [&](const HostPattern& pattern) { return pattern.matches(host); });
}

std::vector<std::uint32_t> TaskPolicy::allow_for(const Host& host) const
{
    return allow_.find(host);
}

std::vector<std::uint32_t> TaskPolicy::deny_for(const Host& host) const
{
    return deny_.find(host);
}

void TaskPolicy::Index::add(const HostPattern& pattern, std::uint32_t rule)
{
    switch (pattern.kind()) {
    case HostPattern::Kind::exact:
        exact[pattern.text()].push_back(rule);
        return;
    case HostPattern::Kind::suffix:
        suffix[pattern.text()].push_back(rule);
        return;
    case HostPattern::Kind::any:
        any.push_back(rule);
        return;
    }
}

std::vector<std::uint32_t> TaskPolicy::Index::find(const Host& host) const
{
    std::vector<std::uint32_t> found;
    const auto collect = [&found](const ByText& rules, std::string_view text) {
        if (const auto entry = rules.find(text); entry != rules.end())
            found.insert(found.end(), entry->second.begin(), entry->second.end());
    };
    const std::string_view text = host.text();
    collect(exact, text);
    if (host.is_name() && !suffix.empty())
        for (auto dot = text.find('.'); dot != std::string_view::npos; dot = text.find('.', dot + 1))
            collect(suffix, text.substr(dot));
    if (!any.empty() && is_public(host))
        found.insert(found.end(), any.begin(), any.end());

    std::ranges::sort(found);
    const auto repeated = std::ranges::unique(found);
    found.erase(repeated.begin(), repeated.end());
    return found;
}

} // namespace aduana::policy
