// SPDX-License-Identifier: Apache-2.0
// What a task reached and what it was refused, summed by destination; and the refusals as lines for a terminal.
#pragma once

#include "audit/event.hpp"
#include "proxy/control/messages.hpp"
#include "proxy/core/refusal.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace aduana::proxy {

class Ledger {
public:
    /// A closed attempt. Every one counts, also where its destination is beyond the bound of the report.
    void add(const audit::Request& request);
    void add(const audit::Tunnel& tunnel);
    void add(const audit::Tcp& raw);
    void leased(const std::string& credential) { credentials_.insert(credential); }

    /// Keeps a line for the terminal, unless one of this reason and place was kept before. True: a line was added.
    bool refused(const Refusal& refusal, std::string_view place);
    /// The lines since the last call.
    [[nodiscard]] std::vector<std::string> take_lines();

    /// Sorted by host, port, scheme and reason; the first ones where there are too many.
    [[nodiscard]] std::vector<control::Destination> reached() const { return report(reached_); }
    [[nodiscard]] std::vector<control::Destination> refused() const { return report(refused_); }
    [[nodiscard]] std::vector<std::string> credentials() const { return {credentials_.begin(), credentials_.end()}; }
    [[nodiscard]] std::uint64_t requests() const noexcept { return requests_; }

private:
    using Key = std::tuple<std::string, std::uint16_t, std::string, std::string>;
    struct Sum {
        std::uint64_t requests = 0;
        std::uint64_t bytes_up = 0;
        std::uint64_t bytes_down = 0;
    };
    using Sums = std::map<Key, Sum>;
    static void count(Sums& sums, Key key, std::uint64_t up, std::uint64_t down);
    [[nodiscard]] static std::vector<control::Destination> report(const Sums& sums);

    Sums reached_;
    Sums refused_;
    std::set<std::string> credentials_;
    std::set<std::string> printed_;
    std::vector<std::string> lines_;
    std::uint64_t requests_ = 0;
};

} // namespace aduana::proxy
