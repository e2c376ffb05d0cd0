// SPDX-License-Identifier: Apache-2.0
// The lease state machine: a table, and what each action does to an entry.
#include "broker/core/lease_book.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace aduana::broker {
namespace {

constexpr std::size_t id_bytes = 8;
// A proxy that never releases must not fill the broker's memory: past this, the oldest lapsed lease is forgotten.
constexpr std::size_t max_lapsed = 16;

using enum LeaseState;
using Row = std::array<LeaseStep, 3>;

// Columns: acquire, lapse, close.
constexpr std::array<Row, 4> table = {
    Row{LeaseStep{active, LeaseAction::issue}, LeaseStep{absent, LeaseAction::none},
        LeaseStep{revoked, LeaseAction::none}}, // ABSENT
    Row{LeaseStep{active, LeaseAction::use}, LeaseStep{expired, LeaseAction::forget},
        LeaseStep{revoked, LeaseAction::revoke}}, // ACTIVE
    Row{LeaseStep{active, LeaseAction::issue}, LeaseStep{expired, LeaseAction::none},
        LeaseStep{revoked, LeaseAction::revoke}}, // EXPIRED
    Row{LeaseStep{revoked, LeaseAction::refuse}, LeaseStep{revoked, LeaseAction::none},
        LeaseStep{revoked, LeaseAction::none}}, // REVOKED
};

} // namespace

LeaseStep step(LeaseState state, LeaseEvent event) noexcept
{
    return table[static_cast<std::size_t>(state)][static_cast<std::size_t>(event)];
}

LeaseAction LeaseBook::advance(Entry& entry, LeaseEvent event)
{
    const auto taken = step(entry.state, event);
    entry.state = taken.next;
    return taken.action;
}

void LeaseBook::issue(Entry& entry, const policy::LeaseTerms& terms, Instant now, const Random& random)
{
    entry.current = {random_hex(random, id_bytes), 0};
    entry.generation += 1;
    entry.expires = now + terms.ttl;
    entry.uses_left = terms.uses;
}

void LeaseBook::forget(Entry& entry)
{
    auto lapsed = std::exchange(entry.current, {});
    if (lapsed.count == 0)
        return;
    if (entry.lapsed.size() == max_lapsed)
        entry.lapsed.erase(entry.lapsed.begin());
    entry.lapsed.push_back(std::move(lapsed));
}

std::optional<LeaseUse> LeaseBook::acquire(const std::string& credential, const policy::LeaseTerms& terms, Instant now,
                                           const Random& random, std::uint64_t version)
{
    // Terms that allow nothing would be a fresh lease that has lapsed already.
    if (terms.uses == 0 || terms.ttl <= std::chrono::milliseconds(0))
        return std::nullopt;
    auto& entry = entries_.try_emplace(credential, Entry{.state = initial_}).first->second;
    const bool over = now >= entry.expires || entry.uses_left == 0 || version != entry.version;
    const bool lapsed = entry.state == active && over;
    if (lapsed && advance(entry, LeaseEvent::lapse) == LeaseAction::forget)
        forget(entry);
    const auto action = advance(entry, LeaseEvent::acquire);
    if (action == LeaseAction::refuse)
        return std::nullopt;
    if (action == LeaseAction::issue)
        issue(entry, terms, now, random);
    entry.version = version;
    entry.uses_left -= 1;
    entry.current.count += 1;
    const auto valid = std::chrono::ceil<std::chrono::milliseconds>(entry.expires - now);
    return LeaseUse{entry.current.id, entry.generation, valid, entry.uses_left, action == LeaseAction::issue};
}

bool LeaseBook::is_current(const std::string& credential, const std::string& id) const
{
    const auto found = entries_.find(credential);
    return found != entries_.end() && !id.empty() && found->second.current.id == id;
}

bool LeaseBook::is_held(const std::string& credential, const std::string& id) const
{
    const auto found = entries_.find(credential);
    if (found == entries_.end() || id.empty())
        return false;
    const auto held = [&id](const Held& lease) { return lease.id == id && lease.count > 0; };
    return held(found->second.current) || std::ranges::any_of(found->second.lapsed, held);
}

void LeaseBook::release(const std::string& id)
{
    const auto same = [&id](const Held& held) { return held.id == id; };
    for (auto& [credential, entry] : entries_) {
        if (same(entry.current)) {
            entry.current.count -= entry.current.count > 0 ? 1 : 0;
            return;
        }
        const auto found = std::ranges::find_if(entry.lapsed, same);
        if (found == entry.lapsed.end())
            continue;
        found->count -= 1;
        if (found->count == 0)
            entry.lapsed.erase(found);
        return;
    }
}

std::vector<RevokedLease> LeaseBook::close()
{
    initial_ = LeaseState::revoked;
    std::vector<RevokedLease> revoked;
    for (auto& [credential, entry] : entries_) {
        if (advance(entry, LeaseEvent::close) != LeaseAction::revoke)
            continue;
        for (const auto& held : entry.lapsed)
            revoked.push_back({held.id, credential});
        if (!entry.current.id.empty())
            revoked.push_back({entry.current.id, credential});
    }
    entries_.clear();
    return revoked;
}

} // namespace aduana::broker
