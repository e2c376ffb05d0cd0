// SPDX-License-Identifier: Apache-2.0
// Bounded sums: a sandbox that invents destinations cannot make the report, or the proxy, grow.
#include "proxy/shell/ledger.hpp"

#include "policy/reason.hpp"
#include "proxy/shell/limits.hpp"

namespace aduana::proxy {

namespace {

/// Distinct destinations that are summed; the journal has the others.
constexpr std::size_t most_sums = 4 * limits::destinations;

} // namespace

void Ledger::add(const audit::Request& request)
{
    ++requests_;
    const bool passed = request.reason == policy::code_of(policy::Reason::allowed) ||
                        request.reason == policy::code_of(policy::Reason::metadata_answered);
    count(passed ? reached_ : refused_, {request.host, request.port, request.scheme, passed ? "" : request.reason},
          request.bytes_up, request.bytes_down);
}

void Ledger::add(const audit::Tunnel& tunnel)
{
    count(reached_, {tunnel.host, tunnel.port, "https", ""}, tunnel.bytes_up, tunnel.bytes_down);
}

void Ledger::add(const audit::Tcp& raw)
{
    count(reached_, {raw.host, raw.port, "tcp", ""}, raw.bytes_up, raw.bytes_down);
}

void Ledger::count(Sums& sums, Key key, std::uint64_t up, std::uint64_t down)
{
    if (sums.size() >= most_sums && !sums.contains(key))
        return;
    auto& sum = sums[std::move(key)];
    sum.requests += 1;
    sum.bytes_up += up;
    sum.bytes_down += down;
}

bool Ledger::refused(const Refusal& refusal, std::string_view place)
{
    if (printed_.size() > limits::refusal_lines)
        return false;
    auto key = std::string(policy::code_of(refusal.reason)).append(" ").append(place);
    if (!printed_.insert(std::move(key)).second)
        return false;
    lines_.push_back(printed_.size() > limits::refusal_lines ? "further refusals are in the journal"
                                                             : terminal_line(refusal));
    return true;
}

std::vector<std::string> Ledger::take_lines()
{
    return std::exchange(lines_, {});
}

std::vector<control::Destination> Ledger::report(const Sums& sums)
{
    std::vector<control::Destination> list;
    for (const auto& [key, sum] : sums) {
        if (list.size() >= limits::destinations)
            break;
        const auto& [host, port, scheme, reason] = key;
        list.push_back({host, port, scheme, reason, sum.requests, sum.bytes_up, sum.bytes_down});
    }
    return list;
}

} // namespace aduana::proxy
