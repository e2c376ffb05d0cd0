// SPDX-License-Identifier: Apache-2.0
// The sessions go to the worker that has the fewest.
#include "proxy/shell/sessions.hpp"

#include "proxy/control/session.hpp"
#include "proxy/shell/control_server.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <cstdlib>
#include <thread>

namespace aduana::proxy {

namespace {

constexpr std::chrono::milliseconds pause_after_error{100};

class Session {
public:
    Session(const asio::any_io_executor& executor, control::SessionEnds ends, std::function<void()> ended)
        : ended_(std::move(ended)), lifeline_(std::move(ends.lifeline)), server_(executor, std::move(ends.control))
    {
    }
    Session(const Session&) = delete;
    ~Session() { ended_(); }

    asio::awaitable<void> run()
    {
        co_await server_.run();
        co_await server_.end();
    }
    void close() {}

private:
    std::function<void()> ended_;
    UniqueFd lifeline_; ///< closed behind the server: its journals are closed by then
    ControlServer server_;
};

class Worker {
public:
    Worker() : work_(context_.get_executor()), sessions_(context_.get_executor()), thread_([this] { context_.run(); })
    {
    }
    Worker(const Worker&) = delete;

    /// From the main thread. `ended` is called on the worker's.
    void take(control::SessionEnds ends, std::function<void()> ended)
    {
        auto task = [this, ends = std::move(ends), ended = std::move(ended)]() mutable {
            sessions_.spawn(std::make_unique<Session>(context_.get_executor(), std::move(ends), std::move(ended)));
        };
        asio::post(context_, std::move(task));
    }

    std::size_t load = 0; ///< sessions; for the main thread alone

private:
    asio::io_context context_{1};
    asio::executor_work_guard<asio::io_context::executor_type> work_;
    Nursery sessions_;
    std::thread thread_; ///< ends with the process
};

class Hub {
public:
    Hub(asio::io_context& context, UniqueFd socket, unsigned workers)
        : context_(context), socket_(context, socket.release())
    {
        for (unsigned i = 0; i < workers; ++i)
            workers_.push_back(std::make_unique<Worker>());
        error_code ignored;
        socket_.native_non_blocking(true, ignored);
    }

    asio::awaitable<void> run()
    {
        asio::steady_timer pause(context_);
        for (;;) {
            auto [error] = co_await socket_.async_wait(asio::posix::stream_descriptor::wait_read, as_result);
            if (error)
                co_return;
            const auto received = receive();
            if (received && *received == Turn::closed)
                co_return;
            if (received)
                continue;
            // Out of descriptors, most likely: that session is lost, and the others must not be.
            diagnostics::fail(describe(received.error()));
            pause.expires_after(pause_after_error);
            co_await pause.async_wait(as_result);
        }
    }

private:
    enum class Turn : std::uint8_t { handled, closed };

    Result<Turn> receive()
    {
        auto received = receive_datagram(socket_.native_handle());
        if (!received)
            return received.error();
        if (received->state != ReceiveState::received)
            return received->state == ReceiveState::closed ? Turn::closed : Turn::handled;
        auto ends = control::session_in(std::move(received->datagram));
        if (!ends)
            return ends.error();
        const auto least = std::min_element(workers_.begin(), workers_.end(),
                                            [](const auto& a, const auto& b) { return a->load < b->load; });
        Worker& worker = **least;
        ++worker.load;
        worker.take(std::move(*ends), [this, &worker] { asio::post(context_, [&worker] { --worker.load; }); });
        return Turn::handled;
    }

    asio::io_context& context_;
    asio::posix::stream_descriptor socket_;
    std::vector<std::unique_ptr<Worker>> workers_;
};

} // namespace

void serve_sessions(UniqueFd socket, unsigned workers)
{
    asio::io_context context(1);
    Hub hub(context, std::move(socket), workers);
    asio::co_spawn(context, hub.run(), [&context](const std::exception_ptr& error) {
        if (error)
            diagnostics::fail("the sessions socket cannot be served any more");
        context.stop();
    });
    context.run();
    std::_Exit(EXIT_SUCCESS);
}

} // namespace aduana::proxy
