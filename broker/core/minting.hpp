// SPDX-License-Identifier: Apache-2.0
// The life of one credential of one task that has to be fetched from an issuer, as a table and its times.
//
//            acquire: mint                 due: mint ahead
//   ABSENT ───────────────▶ MINTING       ┌──────────────▶ REFRESHING
//     ▲ ▲                  │  │  issued   │ ◀──────────────  │   │
//     │ │           failed │  └───────▶ ACTIVE  issued, failed │   │
//     │ │ retry            ▼              │ ▲                  │   │ rejected
//     │ └────────────── BACKOFF           │ │ issued           │   │
//     │                    ▲  rejected ▼  │ │                  │   ▼
//     │             failed └──────────── SUSPECT ◀─────────────────┘
//     └──── lapse: the value is over, and is never used past its end ── ACTIVE (REFRESHING: MINTING)
//
//   any state ── close ──▶ CLOSED, where nothing is lent and what is still issued is taken back
//
// Pure: time and randomness are arguments. There is one mint at a time, whoever waits for it.
#pragma once

#include "broker/core/lease_book.hpp"
#include "broker/mint/dialogue.hpp"

namespace aduana::broker {

enum class MintState : std::uint8_t { absent, minting, active, refreshing, suspect, backoff, closed };
enum class MintEvent : std::uint8_t { acquire, due, issued, failed, rejected, lapse, retry, close };
enum class MintAction : std::uint8_t {
    none,
    mint,
    mint_and_wait,
    wait,
    serve,
    install,
    back_off,
    drop,
    revoke,
    refuse,
};

struct MintStep {
    MintState next = MintState::closed;
    MintAction action = MintAction::refuse;
    friend bool operator==(const MintStep&, const MintStep&) = default;
};
/// The drawing as a table.
[[nodiscard]] MintStep step(MintState state, MintEvent event) noexcept;

/// When a value that was asked for at `sent` is minted anew, and when it is used for the last time.
struct MintTimes {
    Instant refresh;
    Instant end;
};
/// The lifetime is the issuer's, or 5 minutes where it does not say; the operator's `ttl` bounds it. A refresh comes at
/// two thirds of it, less up to a tenth by `jitter` (0 to 255) and 30 s before the end at least; at half of it where it
/// is shorter than a minute. The end comes 10 s early (a fifth of a short lifetime): clocks differ.
[[nodiscard]] MintTimes times_of(Instant sent, std::optional<std::chrono::seconds> lifetime,
                                 std::chrono::milliseconds ttl, std::uint8_t jitter) noexcept;
/// After `failures` in a row, from 1: 1 s, 2 s, 4 s up to 5 minutes, a fifth more or less by `jitter`; a minute where
/// the issuer's refusal was final; never sooner than the issuer said.
[[nodiscard]] std::chrono::milliseconds backoff_of(const Denied& denied, std::uint32_t failures,
                                                   std::uint8_t jitter) noexcept;

class Minting {
public:
    explicit Minting(policy::LeaseTerms terms) : terms_(terms) {}

    enum class Verdict : std::uint8_t { serve, wait, refuse };
    /// `serve`: one use of `current()` is counted.
    [[nodiscard]] Verdict acquire(Instant now);
    /// An upstream answered 401 to the value of `generation`. `wait`: a newer one is on its way; `serve`: there is one
    /// already, or the same one has to do, because it was minted less than 30 s ago for the same reason, and then the
    /// upstream is more likely to be wrong than the issuer.
    [[nodiscard]] Verdict rejected(std::uint64_t generation, Instant now);
    /// Once for each time that a mint is to begin.
    [[nodiscard]] bool take_order() noexcept { return std::exchange(ordered_, false); }

    void issued(Issued issued, Instant sent, const Random& random);
    void failed(const Denied& denied, Instant now, const Random& random);
    /// What time alone brings: refresh, end, end of a backoff.
    void tick(Instant now);
    [[nodiscard]] std::optional<Instant> next_tick() const;
    /// What is left to be taken back at the issuer: the current value and earlier ones that are not over.
    [[nodiscard]] std::vector<CredentialValue> close(Instant now);

    struct Current {
        const CredentialValue& value;
        std::uint64_t generation = 0; ///< from 1
        Instant end;
        std::optional<Instant> dies;    ///< when the issuer stops to take it, if it has said so
        std::optional<Instant> settled; ///< a refusal before this says nothing
    };
    /// Unset while there is none. Valid until the next call that is not const.
    [[nodiscard]] std::optional<Current> current() const;
    [[nodiscard]] MintState state() const noexcept { return state_; }
    /// Why the last mint failed, for a refusal.
    [[nodiscard]] const Denied& last_failure() const noexcept { return failure_; }
    [[nodiscard]] std::chrono::milliseconds retry_in(Instant now) const;

private:
    struct Value {
        CredentialValue value;
        Instant end;
    };
    MintAction advance(MintEvent event);
    void retire(Instant now);

    policy::LeaseTerms terms_;
    MintState state_ = MintState::absent;
    bool ordered_ = false;
    std::optional<Value> value_;
    std::vector<Value> retired_; ///< may still be in use; oldest first, bounded
    std::uint64_t generation_ = 0;
    std::uint64_t uses_ = 0; ///< of the current value
    MintTimes times_{};
    std::optional<Instant> dies_;
    std::optional<Instant> settled_;
    Instant retry_{};
    std::optional<Instant> forced_; ///< when a 401 last made us mint
    std::uint32_t failures_ = 0;
    Denied failure_{};
};

} // namespace aduana::broker
