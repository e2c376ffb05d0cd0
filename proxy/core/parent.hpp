// SPDX-License-Identifier: Apache-2.0
// The parent proxy: what is asked of it, and what its answer means (RFC 9110 section 9.3.6).
#pragma once

#include "broker/protocol/messages.hpp"
#include "policy/host.hpp"
#include "proxy/core/failure.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace aduana::proxy {

struct Parent {
    policy::Host host;
    std::uint16_t port;
    std::string credential; ///< empty: it asks for none
    std::vector<policy::HostPattern> except;
};

/// "proxy.corp.test:3128"
[[nodiscard]] std::string place_of(const Parent& parent);

/// `host` is listed under `except`: it is resolved, vetted and dialled as without a parent.
[[nodiscard]] bool goes_direct(const Parent& parent, const policy::Host& host);

/// The parent resolves names where no address can be vetted here. What a name alone gives away is refused all the same:
/// names of loopback (RFC 6761) and of metadata services.
[[nodiscard]] Outcome<Ok> vet_name(const policy::Host& name);

/// A whole request head. `credential`: fields to add; the caller wipes the result where there are any.
[[nodiscard]] std::string connect_head(const policy::Host& host, std::uint16_t port,
                                       std::span<const broker::HeaderField> credential);

enum class ParentAnswer : std::uint8_t {
    opened,
    interim, ///< a 1xx; another head follows
};
/// `head` is exactly one response head. `asked`: what was to be opened, for messages. Failures: parent_refused with the
/// status alone (its other words are a stranger's), upstream_invalid.
[[nodiscard]] Outcome<ParentAnswer> judge_parent(std::string_view head, const Parent& parent, std::string_view asked);

} // namespace aduana::proxy
