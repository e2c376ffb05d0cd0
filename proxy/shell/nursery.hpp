// SPDX-License-Identifier: Apache-2.0
// The coroutines that run side by side for one owner: each can be told to end, and the owner can wait for all.
#pragma once

#include "proxy/shell/diagnostics.hpp"
#include "proxy/shell/signal.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>

#include <exception>
#include <functional>
#include <list>
#include <memory>

namespace aduana::proxy {

/// The only place that spawns. A worker has `asio::awaitable<void> run()` and `void close()`; its frame owns it.
class Nursery {
public:
    explicit Nursery(const asio::any_io_executor& executor) : executor_(executor), emptied_(executor) {}
    Nursery(const Nursery&) = delete;
    Nursery& operator=(const Nursery&) = delete;

    template <class Worker>
    void spawn(std::unique_ptr<Worker> worker)
    {
        const auto entry = entries_.emplace(entries_.end());
        entry->close = [raw = worker.get()] { raw->close(); };
        auto done = [this, entry](const std::exception_ptr& error) {
            report(error);
            entries_.erase(entry);
            if (entries_.empty())
                emptied_.notify();
        };
        asio::co_spawn(executor_, run(std::move(worker), *entry),
                       asio::bind_cancellation_slot(entry->cancel.slot(), std::move(done)));
    }

    [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

    /// Tells all to end: their streams are closed, and what waits for something else is cancelled.
    void close_all()
    {
        for (auto& entry : entries_) {
            if (entry.close)
                entry.close();
            entry.cancel.emit(asio::cancellation_type::terminal);
        }
    }
    /// True once none is left; false after `limit`.
    asio::awaitable<bool> emptied(std::chrono::steady_clock::duration limit)
    {
        if (!entries_.empty())
            co_await emptied_.wait(limit);
        co_return size() == 0;
    }

private:
    struct Entry {
        std::function<void()> close; ///< empty once the worker has ended
        asio::cancellation_signal cancel;
    };

    /// Failures are values here: a cancelled wait reports, and the code goes on to the end of its path.
    template <class Worker>
    static asio::awaitable<void> run(std::unique_ptr<Worker> worker, Entry& entry)
    {
        const std::unique_ptr<Entry, decltype([](Entry* ended) { ended->close = nullptr; })> ended(&entry);
        const auto owned = std::move(worker);
        co_await asio::this_coro::throw_if_cancelled(false);
        co_await owned->run();
    }

    static void report(const std::exception_ptr& error)
    {
        if (!error)
            return;
        try {
            std::rethrow_exception(error);
        } catch (const std::exception& exception) {
            diagnostics::fail(exception.what());
        }
    }

    asio::any_io_executor executor_;
    std::list<Entry> entries_;
    Signal emptied_;
};

} // namespace aduana::proxy
