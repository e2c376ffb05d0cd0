// SPDX-License-Identifier: Apache-2.0
// Taking back what the brokers of earlier tasks could not: they were killed, or the issuer was away.
#pragma once

#include "broker/core/errand.hpp"
#include "broker/core/ledger.hpp"

#include <map>

namespace aduana::broker {

class Sweep {
public:
    /// Nothing to do.
    Sweep() = default;
    /// The ledgers are nobody else's. Those that cannot be read stay as they are.
    Sweep(std::vector<std::shared_ptr<LedgerFile>> files, const StoreKeys& keys, WallTime now);

    /// Once. Numbers of errands are counted up in `next_errand`.
    [[nodiscard]] std::vector<Errand> begin(std::uint64_t& next_errand);
    /// False: the errand is none of this sweep's.
    [[nodiscard]] bool returned(std::uint64_t errand, const Carried& carried);
    /// No call is under way.
    [[nodiscard]] bool idle() const noexcept { return out_.empty(); }
    /// Credentials of which something was taken back; each once.
    [[nodiscard]] const std::vector<std::string>& taken_back() const noexcept { return taken_back_; }

private:
    struct Book {
        std::shared_ptr<LedgerFile> file;
        std::size_t left = 0; ///< notes that nobody has answered for yet; the book is cleared when it is zero
    };
    struct Pending {
        std::size_t book;
        Note note;
    };
    struct Out {
        std::size_t book;
        std::string credential;
    };
    void take(std::size_t book, const std::vector<std::string>& boxes, const StoreKeys& keys, WallTime now);
    void settle(Book& book);

    std::vector<Book> books_;
    std::vector<Pending> pending_;
    std::map<std::uint64_t, Out> out_;
    std::vector<std::string> taken_back_;
};

} // namespace aduana::broker
