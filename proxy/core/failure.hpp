// SPDX-License-Identifier: Apache-2.0
// Why a step of a request failed, and whose fault it was.
#pragma once

#include "policy/reason.hpp"

#include <boost/system/result.hpp>

#include <stdexcept>
#include <string>
#include <string_view>

namespace aduana::proxy {

enum class Party : std::uint8_t { client, upstream, broker, self };

/// "client", "upstream", "broker", "proxy"
[[nodiscard]] constexpr std::string_view name_of(Party party) noexcept
{
    switch (party) {
    case Party::client:
        return "client";
    case Party::upstream:
        return "upstream";
    case Party::broker:
        return "broker";
    case Party::self:
        break;
    }
    return "proxy";
}

/// `detail` is for the record and the refusal: it never holds bytes of a body, a field value or a secret.
struct Failure {
    policy::Reason reason = policy::Reason::internal;
    Party party = Party::self;
    std::string detail;
};

template <class T>
using Outcome = boost::system::result<T, Failure>;

[[noreturn]] inline void throw_exception_from_error(const Failure& failure, const boost::source_location&)
{
    throw std::logic_error(failure.detail);
}

} // namespace aduana::proxy
