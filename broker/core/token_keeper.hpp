// SPDX-License-Identifier: Apache-2.0
// The refresh token of one credential from one refresh to the next, whichever task and broker does them: an issuer that
// rotates refresh tokens takes an older one for stolen, and ends them all.
//
//   borrow ──▶ mint with the newest ──▶ keep ──▶ give_back        slot:  0   1   0   1 ...
#pragma once

#include "broker/sealed/kept_token.hpp"
#include "policy/base/fd.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace aduana::broker {

/// Two places for a box each, which outlive the broker: a write that is cut short damages one of them only.
class TokenSlots {
public:
    TokenSlots() = default;
    TokenSlots(const TokenSlots&) = delete;
    TokenSlots& operator=(const TokenSlots&) = delete;
    virtual ~TokenSlots() = default;

    /// False: somebody else has them now. Does not wait.
    [[nodiscard]] virtual Result<bool> lock() = 0;
    virtual void unlock() noexcept = 0;
    /// Empty where nothing was ever written.
    [[nodiscard]] virtual Result<std::array<std::string, 2>> read() = 0;
    /// On the disk when it returns.
    [[nodiscard]] virtual Result<Ok> write(std::size_t slot, std::string_view box) = 0;
    /// The same file and the same lock, which ends when all who hold it have closed it.
    [[nodiscard]] virtual Result<UniqueFd> share() const = 0;
};

class TokenKeeper {
public:
    /// `seed`: the token that the operator has given. What was kept after another one is of no use any more.
    TokenKeeper(std::shared_ptr<TokenSlots> slots, StoreKeys keys, std::string credential, std::string_view seed);

    struct Turn {
        bool ours = false;            ///< false: somebody else is refreshing; ask again soon
        std::optional<Secret> newest; ///< unset: the seed is
    };
    /// Ours until `give_back`. An error if what was kept cannot be opened: the seed must not be tried in its place.
    [[nodiscard]] Result<Turn> borrow();
    struct Lent {
        KeepOrder order;
        UniqueFd file;
    };
    /// For whoever may see the next token before we do, and when we are gone. While it is ours.
    [[nodiscard]] Result<Lent> lend() const;
    /// Before anything is done with what came along with `token`.
    [[nodiscard]] Result<Ok> keep(const Secret& token);
    void give_back() noexcept;

private:
    struct Kept {
        std::string seed;
        std::uint64_t sequence = 0;
        Secret token;
    };
    [[nodiscard]] std::optional<Kept> open(std::string_view box) const;
    [[nodiscard]] KeepOrder next() const;
    [[nodiscard]] Result<Turn> newest_of(const std::array<std::string, 2>& boxes);

    std::shared_ptr<TokenSlots> slots_;
    StoreKeys keys_;
    std::string credential_;
    std::string seed_;           ///< its SHA-256
    std::uint64_t sequence_ = 0; ///< of the newest
};

} // namespace aduana::broker
