// SPDX-License-Identifier: Apache-2.0
// The minted credentials of one task: whose turn a value is waiting for, and the calls to issuers that are out.
//
//   Acquire ──▶ Minting: serve ──────────────────────────▶ Lease
//                  │ wait                                     ▲
//                  ▼                                          │ asked again
//               Waiter ── (mint: Call ⇄ Answer ... Issued) ── ready
#pragma once

#include "broker/core/errand.hpp"
#include "broker/core/ledger.hpp"
#include "broker/core/minting.hpp"
#include "broker/core/moment.hpp"

#include <deque>
#include <map>

namespace aduana::broker {

struct Waiter {
    std::uint64_t request = 0; ///< of the proxy's frame
    Acquire acquire;
    Instant deadline;
};

/// What the desk needs of the world for one step.
struct DeskWorld {
    Moment now;
    const Random& random;
    std::uint64_t& next_errand; ///< counted up
};

/// What a step leaves to be done by the caller.
struct DeskTurn {
    std::vector<Errand> errands;
    std::vector<Waiter> ready; ///< to be judged again, and answered
};

class MintDesk {
public:
    /// With a ledger, nothing is lent that is not noted there, as far as it can be taken back.
    explicit MintDesk(std::string task, std::optional<Ledger> ledger = std::nullopt)
        : task_(std::move(task)), ledger_(std::move(ledger))
    {
    }

    /// `keeper`: of the refresh token, if that is what the credential is minted with.
    void add(const policy::CredentialDeclaration& declaration, std::unique_ptr<Issuer> issuer,
             std::optional<TokenKeeper> keeper = std::nullopt);
    [[nodiscard]] bool mints(const std::string& credential) const { return entries_.contains(credential); }

    /// `waiter` is kept where the verdict is to wait. At most 256 wait for one credential, 10 s each.
    [[nodiscard]] Minting::Verdict acquire(Waiter waiter, const DeskWorld& world, DeskTurn& turn);
    /// The same after a 401 to the value of `generation` (0: to an older one than the current).
    [[nodiscard]] Minting::Verdict rejected(Waiter waiter, std::uint64_t generation, const DeskWorld& world,
                                            DeskTurn& turn);
    /// Of a credential that is served.
    [[nodiscard]] std::optional<Minting::Current> current(const std::string& credential) const;
    /// Why there is no value now.
    [[nodiscard]] Refused refusal(const std::string& credential, Instant now) const;

    /// False: the errand is none of this desk's.
    [[nodiscard]] bool returned(std::uint64_t errand, const Carried& carried, const DeskWorld& world, DeskTurn& turn);
    void tick(const DeskWorld& world, DeskTurn& turn);
    [[nodiscard]] std::optional<Instant> next_tick() const;

    /// From here on nothing is lent, and whatever was issued is taken back.
    void close(const DeskWorld& world, DeskTurn& turn);
    [[nodiscard]] bool idle() const noexcept { return errands_.empty(); }
    /// Credentials of which something could not be taken back: it is valid until its own end.
    [[nodiscard]] const std::vector<std::string>& unrevoked() const noexcept { return unrevoked_; }

private:
    struct Entry {
        std::unique_ptr<Issuer> issuer;
        std::vector<policy::Cidr> addresses; ///< where calls may go beside public addresses
        Minting minting;
        std::deque<Waiter> waiters{};
        Instant sent{}; ///< the last call of the mint
        std::optional<TokenKeeper> keeper{};
        /// While the refresh token is with somebody else: when it is asked for again, and until when.
        struct Turn {
            Instant next;
            Instant last;
        };
        std::optional<Turn> turn{};
    };
    enum class Purpose : std::uint8_t { mint, revoke };
    struct Out {
        std::string credential;
        Purpose purpose = Purpose::mint;
    };

    [[nodiscard]] Minting::Verdict queue(Entry& entry, Minting::Verdict verdict, Waiter waiter);
    [[nodiscard]] static std::optional<Instant> next_tick(const Entry& entry);
    /// The refresh token was with somebody else and may be ours by now.
    [[nodiscard]] static bool is_due(const Entry& entry, Instant now);
    void begin_if_ordered(const std::string& credential, Entry& entry, const DeskWorld& world, DeskTurn& turn);
    void begin(const std::string& credential, Entry& entry, const DeskWorld& world, DeskTurn& turn);
    /// With the newest refresh token, if it is our turn.
    [[nodiscard]] Result<bool> take_turn(Entry& entry, Instant now);
    [[nodiscard]] Result<Ok> keep(Entry& entry, Secret token);
    void proceed(const std::string& credential, Entry& entry, Step step, const DeskWorld& world, DeskTurn& turn);
    void install(const std::string& credential, Entry& entry, Issued issued, const DeskWorld& world, DeskTurn& turn);
    void fail(Entry& entry, const Denied& denied, const DeskWorld& world, DeskTurn& turn);
    /// How to take `issued` back, before it is lent.
    [[nodiscard]] Result<Ok> note(const std::string& credential, const Entry& entry, const Issued& issued,
                                  const DeskWorld& world);
    void clear_ledger();
    void revoke_rest(const std::string& credential, Entry& entry, const DeskWorld& world, DeskTurn& turn);
    /// The issuer; a refresh token that comes along is kept by whoever brings it.
    void ask(const std::string& credential, Entry& entry, Call call, const DeskWorld& world, DeskTurn& turn);
    Errand& send(const std::string& credential, Purpose purpose, std::variant<Call, Run> call, const DeskWorld& world,
                 DeskTurn& turn);

    std::string task_;
    std::optional<Ledger> ledger_;
    std::map<std::string, Entry> entries_; ///< by credential
    std::map<std::uint64_t, Out> errands_;
    std::vector<std::string> unrevoked_;
    bool closed_ = false;
};

} // namespace aduana::broker
