// SPDX-License-Identifier: Apache-2.0
// A pattern is held by its own text, by the suffixes above it, or by the one for any host.
#include "policy/load/claims.hpp"

#include "policy/quote.hpp"

namespace aduana::policy::load {

void Claims::add(const Rule& rule)
{
    for (const auto& host : rule.hosts) {
        for (const auto port : rule.ports)
            claims_.emplace(std::pair(host.text(), port), Claim{&rule, &host});
    }
}

void Claims::add_on_any_port(const Rule& rule)
{
    for (const auto& host : rule.hosts)
        claims_.emplace(std::pair(host.text(), any_port), Claim{&rule, &host});
}

std::optional<Claims::Claimed> Claims::first_of(const Rule& rule) const
{
    for (const auto& host : rule.hosts) {
        for (const auto port : rule.ports) {
            const auto* claim = around(host, port);
            if (claim == nullptr)
                claim = around(host, any_port);
            if (claim != nullptr)
                return Claimed{"port " + std::to_string(port) + " of " + quoted(host.text()), claim->rule};
        }
    }
    return std::nullopt;
}

const Claims::Claim* Claims::around(const HostPattern& inner, std::uint16_t port) const
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

const Claims::Claim* Claims::find(const std::string& text, const HostPattern& inner, std::uint16_t port) const
{
    const auto found = claims_.find({text, port});
    return found != claims_.end() && found->second.host->covers(inner) ? &found->second : nullptr;
}

} // namespace aduana::policy::load
