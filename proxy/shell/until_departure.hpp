// SPDX-License-Identifier: Apache-2.0
// What is not worth finishing once the client is gone.
#pragma once

#include "proxy/shell/link.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>

#include <optional>
#include <stdexcept>

namespace aduana::proxy {

template <class Result>
asio::awaitable<void> keep_result(asio::awaitable<Result> work, std::optional<Result>& result)
{
    co_await asio::this_coro::throw_if_cancelled(false);
    result.emplace(co_await std::move(work));
}

/// What `work` gives. It is cancelled when the client leaves, and gives then whatever it gives when a task ends.
template <class Result>
asio::awaitable<Result> until_departure(Link& link, asio::awaitable<Result> work)
{
    using namespace asio::experimental::awaitable_operators;
    std::optional<Result> result;
    co_await (keep_result(std::move(work), result) || link.departure());
    if (!result)
        throw std::logic_error("what was waited for has ended without a result");
    co_return std::move(*result);
}

} // namespace aduana::proxy
