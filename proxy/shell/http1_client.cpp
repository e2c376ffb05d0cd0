// SPDX-License-Identifier: Apache-2.0
// Requests in turn, their answers framed for HTTP/1.1, and what the connection can still be used for.
#include "proxy/shell/http1_client.hpp"

#include "proxy/shell/exchange.hpp"

namespace aduana::proxy {

namespace {

using policy::Reason;

/// RFC 9110 section 6.4.1: a response that may have a body and has none must say so on a connection that goes on.
bool may_have_body(int status, std::string_view method)
{
    return method != "HEAD" && status >= 200 && status != 204 && status != 304;
}

Outcome<RequestHead> parsed(Link& link, const Incoming& incoming, Incoming::HeadState state)
{
    switch (state) {
    case Incoming::HeadState::complete:
        return parse_request_head(incoming.head());
    case Incoming::HeadState::too_large:
        return Failure{Reason::head_too_large, Party::client, "the head of the request is larger than 64 KiB"};
    case Incoming::HeadState::broken:
    case Incoming::HeadState::ended:
        if (link.watchdog().expired())
            return Failure{Reason::request_timeout, Party::client, "the head of the request did not arrive in time"};
        link.client_left();
        return Failure{Reason::request_timeout, Party::client, "the client closed in the middle of its request head"};
    case Incoming::HeadState::invalid:
        break;
    }
    return Failure{Reason::framing_invalid, Party::client, "the head of the request is not valid HTTP/1.1"};
}

} // namespace

Http1Client::Http1Client(Link& link, Incoming& incoming, const RequestHead* head, const Deadlines& deadlines)
    : link_(link), incoming_(incoming), head_(head), deadlines_(deadlines),
      length_(head == nullptr ? BodyLength{BodyLength::Kind::until_close, 0} : body_of(*head)), body_(incoming, length_)
{
}

Outcome<std::optional<WebsocketOffer>> Http1Client::websocket_offer()
{
    auto offer = read_websocket_offer(*head_);
    if (!offer) {
        asks_for_more_ = true;
        return offer;
    }
    const auto& wanted = *offer;
    asks_for_more_ = wanted.has_value();
    if (wanted)
        key_ = wanted->key;
    return offer;
}

asio::awaitable<error_code> Http1Client::accept(const OutgoingResponse& head, const WebsocketAgreement& agreement)
{
    std::string bytes;
    append_head(bytes, head, key_, agreement);
    const auto error = co_await incoming_.stream().write_all(bytes);
    co_return error;
}

asio::awaitable<BodyPiece> Http1Client::read_body()
{
    if (!std::exchange(body_begun_, true))
        watch();
    const auto piece = co_await body_.next();
    if (piece.state == BodyPiece::State::ended)
        watch();
    co_return piece;
}

void Http1Client::when_left(std::function<void()> left)
{
    left_ = std::move(left);
    watch();
}

void Http1Client::watch()
{
    const bool reading = body_begun_ && !body_.ended();
    incoming_.stream().when_left(reading ? nullptr : left_);
}

asio::awaitable<error_code> Http1Client::write_interim(const OutgoingResponse& head)
{
    // RFC 9110 section 15.2: a client of HTTP/1.0 does not know them.
    if (head_->minor_version == 0)
        co_return error_code();
    std::string bytes;
    append_head(bytes, head, {});
    const auto error = co_await incoming_.stream().write_all(bytes);
    co_return error;
}

ResponsePlan Http1Client::plan_for(int status, BodyLength announced, Follows follows) const
{
    const bool old_client = head_->minor_version == 0;
    ResponsePlan plan;
    // A response before the end of the upload stops it, and the connection cannot be used after that.
    plan.close = old_client || !wants_keep_alive(*head_) || !body_.ended() || asks_for_more_;
    switch (announced.kind) {
    case BodyLength::Kind::counted:
        plan.framing = ResponseFraming::counted;
        plan.size = announced.size;
        return plan;
    case BodyLength::Kind::chunked:
    case BodyLength::Kind::until_close:
        if (!old_client)
            plan.framing = ResponseFraming::chunked;
        else if (follows == Follows::body)
            plan.framing = ResponseFraming::until_close;
        return plan;
    case BodyLength::Kind::none:
        break;
    }
    if (may_have_body(status, head_->method))
        plan.framing = ResponseFraming::counted;
    return plan;
}

void Http1Client::begin(const OutgoingResponse& head, BodyLength announced, Follows follows)
{
    const auto plan = plan_for(head.status, announced, follows);
    closing_ = plan.close;
    std::string bytes;
    append_head(bytes, head, plan);
    const bool chunked = plan.framing == ResponseFraming::chunked && follows == Follows::body;
    sink_ = std::make_unique<BodySink>(
        incoming_.stream(), chunked ? BodySink::Framing::chunked : BodySink::Framing::as_is, std::move(bytes));
}

asio::awaitable<error_code> Http1Client::write(std::string_view payload)
{
    const auto error = co_await sink_->write(payload);
    co_return error;
}

asio::awaitable<error_code> Http1Client::write_last(std::string_view payload, const FieldBuffer& trailers)
{
    const auto error = co_await sink_->write_last(payload, trailers);
    co_return error;
}

asio::awaitable<void> Http1Client::finish()
{
    reusable_ = !closing_ && body_.ended();
    if (!reusable_)
        co_await linger();
}

bool Http1Client::keeps_after_refusal(Reason reason) const
{
    // Who sends these reads HTTP in another way than we do, or is led by somebody who does: what comes behind them on
    // this connection is not read.
    if (reason == Reason::framing_invalid || reason == Reason::head_too_large || reason == Reason::name_mismatch)
        return false;
    if (head_ == nullptr || head_->minor_version == 0 || !wants_keep_alive(*head_) || asks_for_more_)
        return false;
    // A client that waits for "100 Continue" may keep its body or send it: nobody can tell what the next byte is.
    if (head_->fields.find("Expect") || link_.watchdog().expired())
        return false;
    // Of a body that was read in part, nobody knows how much is still to come.
    return body_.ended() ||
           (!body_begun_ && length_.kind == BodyLength::Kind::counted && length_.size <= limits::drained_body);
}

asio::awaitable<void> Http1Client::answer(const Refusal& refusal)
{
    const bool keep = keeps_after_refusal(refusal.reason);
    auto format = RefusalFormat::problem_json;
    if (head_ != nullptr)
        format = format_for(head_->fields, protocol());
    const auto response = render(refusal, format);
    std::string bytes;
    append_head(bytes, response.head, {ResponseFraming::counted, response.body.size(), !keep});
    if (head_ == nullptr || head_->method != "HEAD")
        bytes.append(response.body);
    link_.watchdog().arm(deadlines_.head);
    const auto error = co_await incoming_.stream().write_all(bytes);
    if (error)
        co_return;
    if (!keep)
        co_return co_await linger();
    reusable_ = co_await drained();
}

asio::awaitable<bool> Http1Client::drained()
{
    while (!body_.ended()) {
        const auto piece = co_await body_.next();
        if (!piece.sound())
            co_return false;
    }
    co_return true;
}

/// Ends our side and waits a moment for the client's: closing with unread bytes would reset the connection and take the
/// answer away from the client before it has read it (RFC 9112 section 9.6).
asio::awaitable<void> Http1Client::linger()
{
    auto& stream = incoming_.stream();
    link_.watchdog().arm(deadlines_.linger);
    co_await stream.finish();
    const auto scratch = std::make_unique_for_overwrite<char[]>(limits::relay_buffer);
    for (;;) {
        const auto got = co_await stream.read_some(std::span(scratch.get(), limits::relay_buffer));
        if (got.size == 0)
            break;
    }
    stream.close();
}

void Http1Client::close()
{
    incoming_.stream().close();
}

namespace {

/// True: another request may follow.
asio::awaitable<bool> serve_one(Task& task, Link& link, Incoming& incoming, const Scope& scope,
                                const Outcome<RequestHead>& head, Http1End& end)
{
    Http1Client client(link, incoming, head ? &*head : nullptr, task.deadlines);
    if (head && scope.way_in == WayIn::absolute_form && head->method == "CONNECT") {
        end.authority = co_await connect_destination(task, client, *head);
    } else {
        Exchange exchange(task, link, client, scope);
        co_await exchange.run(head);
    }
    co_return client.reusable() && !task.ending;
}

} // namespace

asio::awaitable<Http1End> serve_http1(Task& task, Link& link, Incoming& incoming, const Scope& scope)
{
    Http1End end;
    for (;;) {
        link.watchdog().arm(end.heard ? task.deadlines.keep_alive : task.deadlines.head);
        const auto state = co_await incoming.read_head(link.watchdog(), task.deadlines.head);
        if (state == Incoming::HeadState::ended)
            co_return end;
        end.heard = true;
        link.watchdog().arm(task.deadlines.idle);
        const auto head = parsed(link, incoming, state);
        const bool goes_on = co_await serve_one(task, link, incoming, scope, head, end);
        if (end.authority)
            co_return end;
        if (!goes_on)
            break;
    }
    link.close();
    co_return end;
}

} // namespace aduana::proxy
