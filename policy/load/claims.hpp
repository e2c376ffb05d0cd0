// SPDX-License-Identifier: Apache-2.0
// Which rule comes first for a host and a port.
#pragma once

#include "policy/task_policy.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace aduana::policy::load {

/// The first rule of one kind that names a pattern and a port. The rules must outlive it.
class Claims {
public:
    /// For its own ports.
    void add(const Rule& rule);
    /// For all of them.
    void add_on_any_port(const Rule& rule);

    struct Claimed {
        std::string what; ///< "port 443 of "api.example.com"", for a message
        const Rule* by;
    };
    /// The first of the rule's hosts and ports that is held by a claim.
    [[nodiscard]] std::optional<Claimed> first_of(const Rule& rule) const;

private:
    static constexpr std::uint16_t any_port = 0;
    /// A host of a rule on one of its ports. Borrowed.
    struct Claim {
        const Rule* rule;
        const HostPattern* host;
    };
    /// The claim that holds every host of `inner` on `port`, or null. A few look-ups, however many rules there are.
    [[nodiscard]] const Claim* around(const HostPattern& inner, std::uint16_t port) const;
    [[nodiscard]] const Claim* find(const std::string& text, const HostPattern& inner, std::uint16_t port) const;

    std::map<std::pair<std::string, std::uint16_t>, Claim> claims_;
};

} // namespace aduana::policy::load
