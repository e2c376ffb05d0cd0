// SPDX-License-Identifier: Apache-2.0
// Bodies are relayed piece by piece: one is read, scrubbed and written before the next is read, so that the slower side
// sets the pace and nothing is stored.
#include "proxy/shell/relay.hpp"

#include "proxy/shell/body_sink.hpp"
#include "proxy/shell/signal.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>

#include <array>

namespace aduana::proxy {

namespace {

using policy::Reason;

/// Digests of a body that may have been changed on the way would be wrong (RFC 9530, RFC 1864).
bool is_digest(std::string_view name)
{
    constexpr std::array<std::string_view, 4> names{"Content-MD5", "Digest", "Repr-Digest", "Content-Digest"};
    for (const auto digest : names) {
        if (same_name(name, digest))
            return true;
    }
    return false;
}

bool is_encoded(const ResponseHead& head)
{
    for (const auto& field : head.fields) {
        if (same_name(field.name, "Content-Encoding") && !field.value.empty() && !same_name(field.value, "identity"))
            return true;
    }
    return false;
}

ResponseHead without_digests(ResponseHead head)
{
    Fields kept;
    for (const auto& field : head.fields) {
        if (!is_digest(field.name))
            kept.add(field.name, field.value);
    }
    head.fields = std::move(kept);
    return head;
}

/// HEAD and 304 describe a body that does not follow (RFC 9110 sections 9.3.2 and 15.4.5).
BodyLength described_body(ResponseHead head)
{
    if (head.status != 204)
        head.status = 200;
    return body_of(head, "GET");
}

/// Its payload can be passed on.
bool is_sound(IncomingBody::State state)
{
    return state == IncomingBody::State::more || state == IncomingBody::State::ended;
}

/// What of the piece may go on now. The scrubber holds back what could begin a secret until the body ends.
std::string_view scrub(Scrubber& scrubber, const IncomingBody::Piece& piece, std::string& buffer)
{
    buffer.clear();
    scrubber.feed(piece.payload, buffer);
    if (piece.state == IncomingBody::State::ended)
        scrubber.finish(buffer);
    return buffer;
}

Failure client_gone()
{
    return {Reason::internal, Party::client, "the client closed before the end of the response"};
}

} // namespace

Relay::Relay(Link& link, Incoming& client, Incoming& upstream, Request request, const InjectedValues& injected,
             const Deadlines& deadlines)
    : link_(link), client_(client), upstream_(upstream), request_(request), injected_(injected), set_(injected.set()),
      deadlines_(deadlines)
{
}

asio::awaitable<RelayEnd> Relay::run(std::string_view head)
{
    link_.holds(upstream_.stream());
    link_.watchdog().arm(deadlines_.response);
    // An error here is the upstream's: reading its response tells whether it said why.
    co_await upstream_.stream().write_all(head);
    if (IncomingBody(client_, request_.body).ended()) {
        client_body_ended_ = upload_ended_ = true;
        co_await download();
    } else {
        using namespace asio::experimental::awaitable_operators;
        co_await (upload() || download());
    }
    link_.released();
    end_.request_consumed = client_body_ended_;
    if (client_failure_)
        end_.failure = std::move(client_failure_);
    co_return std::move(end_);
}

/// Never returns before it is cancelled: `download` decides when the exchange is over.
asio::awaitable<void> Relay::upload()
{
    co_await asio::this_coro::throw_if_cancelled(false);
    const auto executor = co_await asio::this_coro::executor;
    IncomingBody body(client_, request_.body);
    const bool chunked = request_.body.kind == BodyLength::Kind::chunked;
    BodySink sink(upstream_.stream(), chunked ? BodySink::Framing::chunked : BodySink::Framing::as_is);
    bool upstream_reads = true;
    while (!client_body_ended_) {
        const auto piece = co_await body.next();
        if (over_)
            co_return;
        progress();
        if (piece.state == IncomingBody::State::broken || piece.state == IncomingBody::State::invalid) {
            const bool invalid = piece.state == IncomingBody::State::invalid;
            client_failure_ = Failure{Reason::framing_invalid, Party::client,
                                      invalid ? "the framing of the request body is not valid"
                                              : "the client closed before the end of its request body"};
            upstream_.stream().close();
            break;
        }
        client_body_ended_ = piece.state == IncomingBody::State::ended;
        if (!upstream_reads)
            continue;
        end_.bytes_up += piece.payload.size();
        const auto last = client_body_ended_ ? BodySink::Piece::last : BodySink::Piece::more;
        const auto error = co_await sink.write(piece.payload, last);
        // Its response is still worth reading: it tells why the upstream stopped.
        upstream_reads = !error;
        upload_ended_ = client_body_ended_ && upstream_reads;
    }
    asio::steady_timer parked(executor, std::chrono::steady_clock::time_point::max());
    co_await parked.async_wait(as_result);
}

asio::awaitable<void> Relay::download()
{
    co_await asio::this_coro::throw_if_cancelled(false);
    auto head = co_await read_response();
    if (!head) {
        end_.failure = head.error();
    } else {
        const auto passed = co_await pass_response(std::move(*head));
        if (!passed)
            end_.failure = passed.error();
    }
    over_ = true;
}

asio::awaitable<Outcome<ResponseHead>> Relay::read_response()
{
    for (unsigned interim = 0; interim <= limits::interim_responses; ++interim) {
        const auto state = co_await upstream_.read_head(link_.watchdog(), deadlines_.head);
        if (state != Incoming::HeadState::complete) {
            end_.unanswered = interim == 0 && state == Incoming::HeadState::ended;
            co_return upstream_failure(state);
        }
        link_.watchdog().arm(deadlines_.response);
        auto head = parse_response_head(upstream_.head());
        if (!head)
            co_return Failure{Reason::upstream_invalid, Party::upstream, head.error().detail};
        if (head->status >= 200)
            co_return *head;
        const auto passed = co_await pass_interim(*head);
        if (!passed)
            co_return passed.error();
    }
    co_return Failure{Reason::upstream_invalid, Party::upstream, "more than 16 interim responses before the final one"};
}

asio::awaitable<Outcome<Ok>> Relay::pass_interim(const ResponseHead& interim)
{
    // RFC 9110 section 15.2: a client of HTTP/1.0 does not know them.
    if (request_.head.minor_version == 0)
        co_return Ok{};
    std::string bytes;
    end_.scrubbed += write_interim_head(bytes, interim, current_set());
    const auto error = co_await client_.stream().write_all(bytes);
    if (error)
        co_return client_gone();
    co_return Ok{};
}

ResponsePlan Relay::plan_for(const ResponseHead& head, BodyLength length) const
{
    const bool old_client = request_.head.minor_version == 0;
    ResponsePlan plan;
    // A response before the end of the upload stops it, and the connection cannot be used after that.
    plan.close = old_client || !wants_keep_alive(request_.head) || !client_body_ended_;
    if (length.kind == BodyLength::Kind::none) {
        const auto described = described_body(head);
        if (described.kind == BodyLength::Kind::counted)
            plan = {ResponseFraming::counted, described.size, plan.close};
        else if (described.kind == BodyLength::Kind::chunked && !old_client)
            plan.framing = ResponseFraming::chunked;
        return plan;
    }
    const bool resized = scrubs() && length.size > limits::whole_scrub;
    if (length.kind == BodyLength::Kind::counted && !resized)
        plan = {ResponseFraming::counted, length.size, plan.close};
    else if (old_client)
        plan = {ResponseFraming::until_close, 0, true};
    else
        plan.framing = ResponseFraming::chunked;
    return plan;
}

asio::awaitable<Outcome<Ok>> Relay::pass_response(ResponseHead head)
{
    const auto length = body_of(head, request_.head.method);
    if (scrubs() && length.kind != BodyLength::Kind::none) {
        if (is_encoded(head))
            co_return Failure{Reason::response_unscrubbable, Party::upstream,
                              "the upstream encoded its response although identity was asked for"};
        head = without_digests(std::move(head));
    }
    const auto plan = plan_for(head, length);
    Outcome<Ok> passed = Ok{};
    if (scrubs() && length.size != 0 && plan.framing == ResponseFraming::counted &&
        length.kind == BodyLength::Kind::counted)
        passed = co_await pass_whole(head, length, plan);
    else
        passed = co_await pass_stream(head, length, plan);
    if (!passed)
        co_return passed;
    end_.client_reusable = client_body_ended_ && !plan.close;
    end_.upstream_reusable = upload_ended_ && wants_keep_alive(head) && length.kind != BodyLength::Kind::until_close &&
                             upstream_.rest().empty();
    co_return Ok{};
}

/// Small counted bodies: scrubbed before the head is written, so that the client still gets a Content-Length.
asio::awaitable<Outcome<Ok>> Relay::pass_whole(const ResponseHead& head, BodyLength length, ResponsePlan plan)
{
    IncomingBody body(upstream_, length);
    Scrubber scrubber(current_set());
    std::string scrubbed;
    for (;;) {
        const auto piece = co_await body.next();
        if (!is_sound(piece.state))
            co_return cut_off(piece.state);
        progress();
        scrubber.use(current_set());
        scrubber.feed(piece.payload, scrubbed);
        if (piece.state == IncomingBody::State::ended)
            break;
    }
    scrubber.finish(scrubbed);
    end_.scrubbed += scrubber.replaced();
    plan.size = scrubbed.size();
    std::string bytes;
    end_.scrubbed += write_response_head(bytes, head, plan, current_set());
    bytes += scrubbed;
    begin_response(head.status);
    const auto error = co_await client_.stream().write_all(bytes);
    if (error)
        co_return client_gone();
    end_.bytes_down += scrubbed.size();
    co_return Ok{};
}

asio::awaitable<Outcome<Ok>> Relay::pass_stream(const ResponseHead& head, BodyLength length, ResponsePlan plan)
{
    std::string bytes;
    end_.scrubbed += write_response_head(bytes, head, plan, current_set());
    begin_response(head.status);
    const bool chunked = plan.framing == ResponseFraming::chunked && length.kind != BodyLength::Kind::none;
    BodySink sink(client_.stream(), chunked ? BodySink::Framing::chunked : BodySink::Framing::as_is, std::move(bytes));
    if (upstream_.rest().empty()) {
        // An event stream may be silent after its head.
        const auto error = co_await sink.write({}, BodySink::Piece::more);
        if (error)
            co_return client_gone();
    }
    IncomingBody body(upstream_, length);
    Scrubber scrubber(current_set());
    std::string buffer;
    for (bool ended = false; !ended;) {
        const auto piece = co_await body.next();
        if (!is_sound(piece.state))
            co_return cut_off(piece.state);
        ended = piece.state == IncomingBody::State::ended;
        progress();
        scrubber.use(current_set());
        const auto released = scrubs() ? scrub(scrubber, piece, buffer) : piece.payload;
        const auto error = co_await sink.write(released, ended ? BodySink::Piece::last : BodySink::Piece::more);
        if (error)
            co_return client_gone();
        end_.bytes_down += released.size();
    }
    end_.scrubbed += scrubber.replaced();
    co_return Ok{};
}

/// Another request of the task may have had a new credential injected since the last piece, and its server may write
/// that into this response: an event stream or a log that was opened before.
const ScrubSet& Relay::current_set()
{
    set_ = injected_.set();
    return *set_;
}

void Relay::begin_response(int status)
{
    end_.status = status;
    link_.response_begun();
    progress();
}

Failure Relay::upstream_failure(Incoming::HeadState state) const
{
    if (link_.watchdog().expired())
        return {Reason::upstream_timeout, Party::upstream, "the upstream did not answer in time"};
    switch (state) {
    case Incoming::HeadState::ended:
        return {Reason::upstream_unreachable, Party::upstream, "the upstream closed without an answer"};
    case Incoming::HeadState::too_large:
        return {Reason::upstream_invalid, Party::upstream, "the head of the response is larger than 64 KiB"};
    case Incoming::HeadState::invalid:
        return {Reason::upstream_invalid, Party::upstream, "the head of the response is not valid HTTP/1.1"};
    case Incoming::HeadState::broken:
    case Incoming::HeadState::complete:
        break;
    }
    return {Reason::upstream_invalid, Party::upstream, "the upstream closed in the middle of its response head"};
}

Failure Relay::cut_off(IncomingBody::State state) const
{
    if (link_.watchdog().expired())
        return {Reason::upstream_timeout, Party::upstream, "the response body stood still for too long"};
    const bool invalid = state == IncomingBody::State::invalid;
    return {Reason::upstream_invalid, Party::upstream,
            invalid ? "the framing of the response body is not valid"
                    : "the upstream closed before the end of its response body"};
}

} // namespace aduana::proxy
