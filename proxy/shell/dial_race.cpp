// SPDX-License-Identifier: Apache-2.0
// One loop starts the runners; their completions only take down what came of them.
#include "proxy/shell/dial_race.hpp"

#include "proxy/shell/signal.hpp"

#include <algorithm>
#include <list>

namespace aduana::proxy {

namespace {

using asio::ip::tcp;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;

tcp::endpoint endpoint_of(const policy::PinnedAddress& address)
{
    const auto& bytes = address.ip().bytes();
    if (address.ip().is_v4())
        return {asio::ip::address_v4({bytes[0], bytes[1], bytes[2], bytes[3]}), address.port()};
    return {asio::ip::address_v6(bytes), address.port()};
}

} // namespace

struct DialRace::State {
    struct Runner {
        Runner(const asio::any_io_executor& executor, std::size_t place) : socket(executor), index(place) {}
        tcp::socket socket;
        std::size_t index;
    };

    explicit State(const asio::any_io_executor& on) : executor(on), changed(on) {}

    void ended(Runner& runner, const policy::PinnedAddress& address, const error_code& error)
    {
        --running;
        if (!error && winner == nullptr)
            winner = &runner;
        else if (error)
            lost = {address, error};
        changed.notify();
    }

    asio::any_io_executor executor;
    Signal changed;
    std::list<Runner> runners; ///< where each stays as long as its connect
    std::size_t running = 0;
    Runner* winner = nullptr;
    Lost lost{std::nullopt, asio::error::not_found};
};

DialRace::DialRace(const asio::any_io_executor& executor, std::vector<policy::PinnedAddress> order,
                   const Deadlines& deadlines)
    : order_(std::move(order)), deadlines_(deadlines), state_(std::make_shared<State>(executor))
{
}

DialRace::~DialRace()
{
    for (auto& runner : state_->runners) {
        error_code ignored;
        runner.socket.close(ignored);
    }
}

const DialRace::Lost& DialRace::lost() const noexcept
{
    return state_->lost;
}

void DialRace::start(std::size_t index)
{
    auto& runner = state_->runners.emplace_back(state_->executor, index);
    ++state_->running;
    const auto address = order_[index];
    runner.socket.async_connect(endpoint_of(address), [state = state_, &runner, address](const error_code& error) {
        state->ended(runner, address, error);
    });
}

void DialRace::start_due(Clock::time_point now)
{
    if (all_started() || now < next_start_ || now >= end_)
        return;
    start(next_++);
    next_start_ = now + deadlines_.stagger;
    give_up_ = std::min<Clock::time_point>(end_, now + deadlines_.connect);
}

asio::awaitable<std::optional<DialRace::Won>> DialRace::run()
{
    next_start_ = Clock::now();
    give_up_ = end_ = next_start_ + deadlines_.dial;
    for (;;) {
        const auto now = Clock::now();
        start_due(now);
        if (all_started() && state_->running == 0)
            co_return std::nullopt;
        const auto until = all_started() ? give_up_ : std::min(next_start_, end_);
        const bool changed = co_await state_->changed.wait(until - now);
        if (state_->winner != nullptr) {
            auto& [socket, index] = *state_->winner;
            co_return Won{std::move(socket), order_[index].ip()};
        }
        const auto cancellation = co_await asio::this_coro::cancellation_state;
        const bool late = Clock::now() >= (all_started() ? give_up_ : end_);
        if (late || cancellation.cancelled() != asio::cancellation_type::none)
            break;
        if (changed) // whoever has failed makes room at once
            next_start_ = Clock::now();
    }
    state_->lost = {order_[next_ - 1], asio::error::timed_out};
    co_return std::nullopt;
}

} // namespace aduana::proxy
