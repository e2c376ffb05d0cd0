// SPDX-License-Identifier: Apache-2.0
// Happy eyeballs (RFC 8305 section 5): each address gets a head start, then the next one runs beside it.
//
//   first ──────────────────────────────▶ (slow)     closed
//         stagger second ──────────▶ connected ──▶   taken
//                        stagger third ────▶         closed
#pragma once

#include "policy/address.hpp"
#include "proxy/shell/limits.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <memory>
#include <optional>
#include <vector>

namespace aduana::proxy {

namespace asio = boost::asio;

class DialRace {
public:
    struct Won {
        asio::ip::tcp::socket socket;
        policy::Ip address;
    };
    /// Why nobody won; `address` is none where there was nothing to dial.
    struct Lost {
        std::optional<policy::PinnedAddress> address;
        boost::system::error_code error;
    };

    /// `order`: as they are to be tried.
    DialRace(const asio::any_io_executor& executor, std::vector<policy::PinnedAddress> order,
             const Deadlines& deadlines);
    /// The losers are closed.
    ~DialRace();
    DialRace(const DialRace&) = delete;
    DialRace& operator=(const DialRace&) = delete;

    /// Once. The first address that accepts wins.
    asio::awaitable<std::optional<Won>> run();
    /// After a run without a winner.
    [[nodiscard]] const Lost& lost() const noexcept;

private:
    struct State;
    void start(std::size_t index);
    /// Starts the next address if its turn has come.
    void start_due(std::chrono::steady_clock::time_point now);
    [[nodiscard]] bool all_started() const noexcept { return next_ == order_.size(); }

    std::vector<policy::PinnedAddress> order_;
    Deadlines deadlines_;
    std::size_t next_ = 0; ///< to be started
    std::chrono::steady_clock::time_point end_{};
    std::chrono::steady_clock::time_point next_start_{};
    std::chrono::steady_clock::time_point give_up_{}; ///< on the one that was started last
    /// Kept by the connects that are under way, which end after the race.
    std::shared_ptr<State> state_;
};

} // namespace aduana::proxy
