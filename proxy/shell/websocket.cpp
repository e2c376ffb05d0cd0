// SPDX-License-Identifier: Apache-2.0
// Two pumps and a watch: whichever sees the end first takes the others along, then both peers are told.
//
//   client ──▶ upload ───▶ upstream      closed: both close frames have passed
//   client ◀── download ◀─ upstream      ended:  a peer is gone or wrong, a limit, a deadline, the task
//              watch (duration, task)
#include "proxy/shell/websocket.hpp"

#include "certs/digest.hpp"
#include "proxy/shell/signal.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>

namespace aduana::proxy {

namespace {

using policy::Reason;

constexpr auto unlimited = std::numeric_limits<std::uint64_t>::max();
constexpr Deadlines::Span for_ever = std::chrono::hours(24 * 365);

/// Why it is over, for the record and for both peers.
struct Ending {
    std::optional<CloseCode> code; ///< none: nobody is told
    std::string reason;            ///< what the close frame says
    std::optional<Failure> failure;
};

class Websocket {
public:
    Websocket(Task& task, Link& link, Incoming& client, Incoming& upstream, WebsocketTerms terms)
        : task_(task), link_(link), limits_(terms.limits), idle_(limits_.idle.value_or(task.deadlines.idle)),
          edits_(!terms.placeholder.empty()), set_(task.injected.set()),
          up_{client, upstream.stream(),
              WebsocketLeg::to_server(std::move(terms.masks), limits_.upload.value_or(unlimited)), Party::client},
          down_{upstream, client.stream(), leg_down(), Party::upstream}, told_(task.executor)
    {
        up_.leg.edit_texts(terms.placeholder, terms.value);
    }

    asio::awaitable<void> run(AttemptRecord& record)
    {
        using namespace asio::experimental::awaitable_operators;
        link_.holds(down_.from.stream());
        link_.response_begun();
        link_.ends_by([this] { told_to_end(); });
        link_.watchdog().arm(idle_);
        co_await (pump(up_, down_) || pump(down_, up_) || watch());
        end(task_ended()); // unless something else was the end before
        link_.ends_by(nullptr);
        link_.watchdog().arm(task_.deadlines.linger);
        co_await (part(up_) && part(down_));
        link_.released();
        conclude(record);
    }

private:
    struct Way {
        Incoming& from;
        Stream& to;
        WebsocketLeg leg;
        Party sender;
        bool writing = false; ///< nobody knows how much has gone out; for good after an error
    };

    WebsocketLeg leg_down()
    {
        const auto limit = limits_.download.value_or(unlimited);
        return task_.credentials == nullptr ? WebsocketLeg::to_client(limit) : WebsocketLeg::to_client(*set_, limit);
    }

    asio::awaitable<void> pump(Way& way, const Way& other)
    {
        co_await asio::this_coro::throw_if_cancelled(false);
        const auto executor = co_await asio::this_coro::executor;
        const auto buffer = std::make_unique_for_overwrite<char[]>(limits::relay_buffer);
        while (!way.leg.closed() && !way.writing) {
            const auto got = co_await way.from.read_some(std::span(buffer.get(), limits::relay_buffer));
            if (ending_)
                co_return;
            if (got.size == 0)
                co_return sender_gone(way, got.error);
            if (!hurried_)
                link_.watchdog().arm(idle_);
            const auto violation = co_await pass(way, std::span(buffer.get(), got.size));
            if (violation)
                end(ending_of(*violation, way.sender));
            if (ending_)
                co_return;
        }
        if (way.leg.closed() && other.leg.closed())
            co_return end({});
        // What the other side has still to say is worth waiting for, also where it does not listen any more: it may
        // have closed with a reason. But not for ever.
        hurried_ = true;
        link_.watchdog().arm(task_.deadlines.farewell);
        asio::steady_timer parked(executor, std::chrono::steady_clock::time_point::max());
        co_await parked.async_wait(as_result);
    }

    /// After an error `way.writing` stays true.
    asio::awaitable<std::optional<Violation>> pass(Way& way, std::span<char> bytes)
    {
        // Another request of the task may have had a new credential injected since the last frame.
        set_ = task_.injected.set();
        down_.leg.scrub_with(*set_);
        std::string out;
        auto violation = way.leg.pass(bytes, out);
        if (!out.empty()) {
            way.writing = true;
            const auto error = co_await way.to.write_all(out);
            if (edits_) // a value behind its mask
                wipe(out);
            way.writing = error.failed();
            if (error == asio::error::operation_aborted)
                end(task_ended());
        }
        co_return violation;
    }

    asio::awaitable<void> watch()
    {
        co_await asio::this_coro::throw_if_cancelled(false);
        const auto duration = limits_.duration.value_or(for_ever);
        const auto last = Watchdog::Clock::now() + duration;
        co_await told_.wait(duration);
        if (Watchdog::Clock::now() >= last)
            end({CloseCode::policy_violation, "open for longer than the rule allows",
                 Failure{Reason::limit_duration, Party::self, "a WebSocket was open for longer than the rule allows"}});
    }

    /// From outside: the task ends, or a deadline has passed.
    void told_to_end()
    {
        if (!link_.watchdog().expired())
            end(task_ended());
        else if (closing())
            end({});
        else if (hurried_)
            end({std::nullopt, {}, Failure{Reason::allowed, Party::self, "one side stopped to listen"}});
        else
            end({CloseCode::going_away, "no byte in either direction for too long",
                 Failure{Reason::allowed, Party::self, "no byte in either direction for too long"}});
        told_.notify();
    }

    static Ending task_ended()
    {
        return {CloseCode::going_away, "the task has ended",
                Failure{Reason::task_ended, Party::self, "the task ended"}};
    }

    static Ending ending_of(const Violation& violation, Party sender)
    {
        const bool client = sender == Party::client;
        const std::string who = client ? "the client" : "the upstream";
        std::string detail(violation.detail);
        if (violation.code == CloseCode::policy_violation || violation.code == CloseCode::too_big) {
            const auto reason = client ? Reason::limit_upload : Reason::limit_download;
            return {violation.code, detail, Failure{reason, sender, who + " sent " + detail}};
        }
        const auto reason = client ? Reason::framing_invalid : Reason::upstream_invalid;
        return {violation.code, detail, Failure{reason, sender, who + " broke the WebSocket protocol: " + detail}};
    }

    void sender_gone(const Way& way, const error_code& error)
    {
        if (closing())
            return end({});
        if (error == asio::error::operation_aborted)
            return end(task_ended());
        const std::string who = way.sender == Party::client ? "the client" : "the upstream";
        end({std::nullopt, {}, Failure{Reason::allowed, way.sender, who + " closed without a close frame"}});
    }

    /// One side's close frame has passed.
    [[nodiscard]] bool closing() const { return up_.leg.closed() || down_.leg.closed(); }

    /// The first one counts: what follows from it has other symptoms.
    void end(Ending ending)
    {
        if (!ending_)
            ending_ = std::move(ending);
    }

    /// Tells the receiver of `way` why, if no frame is under way to it, and waits a moment for it to go: closing with
    /// unread bytes would take the close frame away from it.
    asio::awaitable<void> part(Way& way)
    {
        co_await asio::this_coro::throw_if_cancelled(false);
        const auto ending = ending_.value_or(Ending{});
        if (ending.code && !way.writing && way.leg.between_frames() && !way.leg.closed()) {
            std::string out;
            way.leg.append_close(out, *ending.code, ending.reason);
            co_await way.to.write_all(out);
        }
        co_await way.to.finish();
        const auto scratch = std::make_unique_for_overwrite<char[]>(limits::relay_buffer);
        for (;;) {
            const auto got = co_await way.to.read_some(std::span(scratch.get(), limits::relay_buffer));
            if (got.size == 0)
                break;
        }
        way.to.close();
    }

    void conclude(AttemptRecord& record)
    {
        auto& fields = record.fields();
        fields.bytes_up = up_.leg.bytes();
        fields.bytes_down = down_.leg.bytes();
        fields.messages_up = up_.leg.messages();
        fields.messages_down = down_.leg.messages();
        fields.scrubbed += down_.leg.scrubbed();
        const auto ending = ending_.value_or(Ending{});
        const auto& failure = ending.failure;
        if (!failure)
            record.passed();
        else if (failure->reason == Reason::allowed)
            record.cut_off(*failure);
        else
            record.refused(*failure);
    }

    Task& task_;
    Link& link_;
    const policy::RuleLimits& limits_;
    const Deadlines::Span idle_;
    const bool edits_;
    std::shared_ptr<const ScrubSet> set_; ///< in use
    Way up_;
    Way down_;
    Signal told_;
    std::optional<Ending> ending_;
    bool hurried_ = false; ///< the deadline is not moved any more
};

} // namespace

MaskKey random_mask()
{
    const auto bytes = certs::random_bytes(4);
    MaskKey key;
    std::copy_n(bytes.begin(), key.size(), key.begin());
    return key;
}

asio::awaitable<void> relay_websocket(Task& task, Link& link, Incoming& client, Incoming& upstream,
                                      AttemptRecord& record, WebsocketTerms terms)
{
    Websocket websocket(task, link, client, upstream, std::move(terms));
    co_await websocket.run(record);
}

} // namespace aduana::proxy
