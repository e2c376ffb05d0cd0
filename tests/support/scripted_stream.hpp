// SPDX-License-Identifier: Apache-2.0
// A peer in memory: what it sends, and after which words of ours it sends it.
#pragma once

#include "proxy/ports/stream.hpp"
#include "proxy/shell/signal.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <string>

namespace aduana::test {

namespace asio = boost::asio;

/// One thing that a peer does. It is done once everything before it is done and `after` was written to the peer since.
struct Act {
    enum class Kind { send, end, break_off };
    std::string after;
    std::string bytes;
    Kind kind = Kind::send;
    std::function<void()> then{};
};

/// The peer's side, which outlives the stream.
class Script {
public:
    explicit Script(const asio::any_io_executor& executor) : arrived(executor), executor_(executor) {}

    Script& sends(std::string bytes, std::string after = {}) { return add({std::move(after), std::move(bytes)}); }
    /// A clean end of the stream.
    Script& ends(std::string after = {}) { return add({std::move(after), {}, Act::Kind::end}); }
    /// A connection that is reset, or TLS that is cut off.
    Script& breaks_off(std::string after = {}) { return add({std::move(after), {}, Act::Kind::break_off}); }
    /// For conversations of several peers: `then` may give others more to say (see `says_now`).
    Script& lets(std::function<void()> then, std::string after)
    {
        return add({std::move(after), {}, Act::Kind::send, std::move(then)});
    }
    void says_now(std::string bytes)
    {
        sends(std::move(bytes));
        play();
    }
    /// At most this many bytes come with one read.
    Script& in_pieces_of(std::size_t size)
    {
        piece = size;
        return *this;
    }
    /// Every write to the peer fails from now on.
    Script& refuses_writes()
    {
        writes_fail = true;
        return *this;
    }

    /// Does what is due. Each step goes on from where the last one's words were found.
    void play()
    {
        while (!acts_.empty()) {
            const auto found = written.find(acts_.front().after, matched_);
            if (found == std::string::npos)
                return;
            const auto act = std::move(acts_.front());
            acts_.pop_front();
            matched_ = found + act.after.size();
            incoming += act.bytes;
            if (act.kind != Act::Kind::send)
                last = act.kind == Act::Kind::end ? boost::system::error_code(asio::error::eof)
                                                  : boost::system::error_code(asio::error::connection_reset);
            arrived.notify();
            tell_who_left();
            if (act.then)
                act.then();
        }
    }
    [[nodiscard]] bool done() const { return acts_.empty(); }

    std::string written;  ///< by us, to the peer
    std::string incoming; ///< sent by the peer and not read yet
    boost::system::error_code last;
    std::function<void()> left; ///< asked to be told of the end
    bool closed = false;
    bool finished = false;
    bool writes_fail = false;
    std::size_t piece = 64 * 1024;
    proxy::Signal arrived;

    /// Later, as from an event loop.
    void tell_who_left()
    {
        if (!last || !left)
            return;
        asio::post(executor_, [this] {
            const auto told = std::exchange(left, nullptr);
            if (told && !closed)
                told();
        });
    }

private:
    Script& add(Act act)
    {
        acts_.push_back(std::move(act));
        return *this;
    }
    asio::any_io_executor executor_;
    std::deque<Act> acts_;
    std::size_t matched_ = 0;
};

class ScriptedStream final : public proxy::Stream {
public:
    explicit ScriptedStream(std::shared_ptr<Script> script) : script_(std::move(script)) { script_->play(); }
    ~ScriptedStream() override { script_->closed = true; }

    asio::awaitable<proxy::ReadResult> read_some(std::span<char> into) override
    {
        while (script_->incoming.empty() && !script_->last && !script_->closed) {
            const bool called = co_await script_->arrived.wait(std::chrono::hours(1));
            if (!called)
                co_return proxy::ReadResult{asio::error::operation_aborted, 0};
        }
        if (script_->closed)
            co_return proxy::ReadResult{asio::error::bad_descriptor, 0};
        if (script_->incoming.empty())
            co_return proxy::ReadResult{script_->last, 0};
        const auto size = std::min({into.size(), script_->incoming.size(), script_->piece});
        std::memcpy(into.data(), script_->incoming.data(), size);
        script_->incoming.erase(0, size);
        co_return proxy::ReadResult{{}, size};
    }
    asio::awaitable<proxy::error_code> write_all(std::span<const char> from) override
    {
        if (script_->closed || script_->finished || script_->writes_fail)
            co_return asio::error::broken_pipe;
        script_->written.append(from.data(), from.size());
        script_->play();
        co_return proxy::error_code();
    }
    asio::awaitable<proxy::error_code> finish() override
    {
        script_->finished = true;
        script_->play();
        co_return proxy::error_code();
    }
    void close() override
    {
        script_->closed = true;
        script_->arrived.notify();
    }
    void when_left(std::function<void()> left) override
    {
        script_->left = std::move(left);
        script_->tell_who_left();
    }
    bool quiet() override { return script_->incoming.empty() && !script_->last && !script_->closed; }

private:
    std::shared_ptr<Script> script_;
};

} // namespace aduana::test
