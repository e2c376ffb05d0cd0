// SPDX-License-Identifier: Apache-2.0
// The leases of one task: one for each credential, and what may happen to it.
//
//                 acquire: issue               acquire: use
//   ABSENT ─────────────────────────▶ ACTIVE ◀──────────────┐
//                                     │ ▲ └─────────────────┘
//     lapse (ttl over, uses spent):   │ │
//     forget; kept while still held   ▼ │ acquire: issue, generation + 1
//                                   EXPIRED
//
//   any state ── close: revoke ──▶ REVOKED ── acquire: refuse
//
// Pure: the clock and the randomness are arguments. How a value is fetched that a lease lends has a machine of its own
// (minting.hpp).
#pragma once

#include "broker/core/moment.hpp"
#include "broker/core/random.hpp"
#include "broker/protocol/lease_parts.hpp"
#include "policy/credentials.hpp"

#include <map>
#include <optional>
#include <vector>

namespace aduana::broker {

enum class LeaseState : std::uint8_t { absent, active, expired, revoked };
enum class LeaseEvent : std::uint8_t { acquire, lapse, close };
enum class LeaseAction : std::uint8_t { none, issue, use, forget, revoke, refuse };

struct LeaseStep {
    LeaseState next = LeaseState::revoked;
    LeaseAction action = LeaseAction::refuse;
    friend bool operator==(const LeaseStep&, const LeaseStep&) = default;
};
/// The drawing as a table.
[[nodiscard]] LeaseStep step(LeaseState state, LeaseEvent event) noexcept;

/// What one acquire got.
struct LeaseUse {
    std::string id;                     ///< 16 hexadecimal characters
    std::uint64_t generation = 0;       ///< from 1
    std::chrono::milliseconds valid{0}; ///< from now, more than 0
    std::uint64_t uses_left = 0;        ///< after this one
    bool fresh = false;                 ///< issued now
};

class LeaseBook {
public:
    /// Unset once the book is closed. A lease ends also when `version`, of the value that it lends, is another.
    [[nodiscard]] std::optional<LeaseUse> acquire(const std::string& credential, const policy::LeaseTerms& terms,
                                                  Instant now, const Random& random, std::uint64_t version = 0);
    /// Is it the lease that the next acquire of the credential would use?
    [[nodiscard]] bool is_current(const std::string& credential, const std::string& id) const;
    /// Somebody has acquired it and not released it.
    [[nodiscard]] bool is_held(const std::string& credential, const std::string& id) const;
    /// One use has ended. Unknown ids are ignored: the lease may have been forgotten already.
    void release(const std::string& id);
    /// Revokes everything: the active leases, and the lapsed ones that are still held.
    [[nodiscard]] std::vector<RevokedLease> close();

private:
    struct Held {
        std::string id;
        std::uint64_t count = 0;
    };
    struct Entry {
        LeaseState state = LeaseState::absent;
        Held current{};
        std::vector<Held> lapsed{}; ///< oldest first; bounded
        std::uint64_t generation = 0;
        std::uint64_t version = 0;
        Instant expires{};
        std::uint64_t uses_left = 0;
    };
    static LeaseAction advance(Entry& entry, LeaseEvent event);
    static void issue(Entry& entry, const policy::LeaseTerms& terms, Instant now, const Random& random);
    static void forget(Entry& entry);

    std::map<std::string, Entry> entries_;    ///< by credential
    LeaseState initial_ = LeaseState::absent; ///< of credentials that nobody has asked for yet
};

} // namespace aduana::broker
