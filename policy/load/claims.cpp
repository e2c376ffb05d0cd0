// SPDX-License-Identifier: Apache-2.0
// A pattern is held by its own text, by the suffixes above it, or by the one for any host.
#include "policy/load/claims.hpp"

namespace aduana::policy::load {

void Claims::add(const Rule& rule)
{
    for (const auto& host : rule.hosts) {
        for (const auto port : rule.ports)
            claims_.emplace(std::pair(host.text(), port), Claim{&rule, &host});
        if (rule.ports.empty())
            claims_.emplace(std::pair(host.text(), any_port), Claim{&rule, &host});
    }
}

const Claim* Claims::around(const HostPattern& inner, std::uint16_t port) const
{
    const std::string& text = inner.text();
    if (const auto* same = find(text, inner, port))
        return same;
    for (auto dot = text.find('.', 1); dot != text.npos; dot = text.find('.', dot + 1)) {
        if (const auto* parent = find(text.substr(dot), inner, port))
            return parent;
    }
    return find("*", inner, port);
}

const Claim* Claims::find(const std::string& text, const HostPattern& inner, std::uint16_t port) const
{
    const auto found = claims_.find({text, port});
    return found != claims_.end() && found->second.host->covers(inner) ? &found->second : nullptr;
}

} // namespace aduana::policy::load
