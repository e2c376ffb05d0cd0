// SPDX-License-Identifier: Apache-2.0
// A few statuses, and how often.
#include "proxy/core/second_try.hpp"

namespace aduana::proxy {
namespace {

constexpr unsigned most_waits = 3;
constexpr int unauthorized = 401;

/// What servers answer that do not know a new value yet: not known, no rights, or as if there were nothing.
bool may_be_unknown(int status)
{
    return status == unauthorized || status == 403 || status == 404;
}

} // namespace

bool is_idempotent(std::string_view method) noexcept
{
    return method == "GET" || method == "HEAD" || method == "OPTIONS" || method == "PUT" || method == "DELETE";
}

SecondTry::Advice SecondTry::advise(int status, const broker::Lease& lease) noexcept
{
    if (!lease.minted)
        return Advice::pass;
    if (lease.settles_ms > 0 && waits_ < most_waits && may_be_unknown(status)) {
        ++waits_;
        return Advice::wait;
    }
    if (status != unauthorized || renewed_)
        return Advice::pass;
    renewed_ = true;
    return Advice::renew;
}

} // namespace aduana::proxy
