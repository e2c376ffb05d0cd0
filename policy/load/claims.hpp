// SPDX-License-Identifier: Apache-2.0
// Which rule comes first for a host and a port.
#pragma once

#include "policy/task_policy.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace aduana::policy::load {

/// A host of a rule on one of its ports. Borrowed.
struct Claim {
    const Rule* rule;
    const HostPattern* host;
};

/// The first rule of one kind that names a pattern and a port. The rules must outlive it.
class Claims {
public:
    /// Of a deny rule without ports, which has all of them.
    static constexpr std::uint16_t any_port = 0;

    void add(const Rule& rule);
    /// The claim that holds every host of `inner` on `port`, or null. A few look-ups, however many rules there are.
    [[nodiscard]] const Claim* around(const HostPattern& inner, std::uint16_t port) const;

private:
    [[nodiscard]] const Claim* find(const std::string& text, const HostPattern& inner, std::uint16_t port) const;

    std::map<std::pair<std::string, std::uint16_t>, Claim> claims_;
};

} // namespace aduana::policy::load
