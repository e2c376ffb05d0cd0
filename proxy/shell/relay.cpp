// SPDX-License-Identifier: Apache-2.0
// Bodies are relayed piece by piece: one is read, scrubbed and written before the next is read, so that the slower side
// sets the pace and nothing is stored.
#include "proxy/shell/relay.hpp"

#include "proxy/shell/signal.hpp"
#include "proxy/shell/unsound_upload.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>

#include <limits>
#include <optional>

namespace aduana::proxy {

namespace {

using policy::Reason;

constexpr auto no_limit = std::numeric_limits<std::uint64_t>::max();

/// HEAD and 304 describe a body that does not follow (RFC 9110 sections 9.3.2 and 15.4.5).
BodyLength described_body(ResponseHead head)
{
    if (head.status == 204)
        return {};
    head.status = 200;
    const auto length = body_of(head, "GET");
    return length.kind == BodyLength::Kind::until_close ? BodyLength{} : length;
}

/// RFC 9110 section 15.3.7, RFC 3229 section 10.4.1.
bool is_part(int status)
{
    return status == 206 || status == 226;
}

Failure unscrubbable(std::string_view why)
{
    return {Reason::response_unscrubbable, Party::upstream, std::string(why)};
}

/// A place among the decoders of a task: each has a window of several MiB.
class DecoderPlace {
public:
    explicit DecoderPlace(std::size_t& count) : count_(count) { ++count_; }
    ~DecoderPlace() { --count_; }
    DecoderPlace(const DecoderPlace&) = delete;
    DecoderPlace& operator=(const DecoderPlace&) = delete;

private:
    std::size_t& count_;
};

Failure too_long_to_capture()
{
    return {Reason::response_uncapturable, Party::upstream, "its body may hold a credential, and is longer than 1 MiB"};
}

/// A body with credentials in it. `room`: so that it does not grow, which would leave copies behind.
struct WipedText {
    explicit WipedText(std::size_t room) { text.reserve(room); }
    ~WipedText() { wipe(text); }
    WipedText(const WipedText&) = delete;
    WipedText& operator=(const WipedText&) = delete;
    std::string text;
};

} // namespace

Relay::Relay(Link& link, ClientSide& client, UpstreamSide& upstream, Request request, const InjectedValues& injected,
             const Deadlines& deadlines)
    : link_(link), client_(client), upstream_(upstream), request_(std::move(request)), injected_(injected),
      set_(injected.set()), deadlines_(deadlines)
{
}

asio::awaitable<RelayEnd> Relay::run(const OutgoingRequest& head)
{
    if (link_.has_left()) {
        end_.failure = client_gone();
        co_return std::move(end_);
    }
    link_.holds(upstream_);
    link_.watchdog().arm(deadlines_.response);
    asked_for_part_ =
        std::ranges::any_of(head.fields, [](const auto& field) { return same_name(field.name, "Range"); });
    const auto error = co_await upstream_.send_head(head, client_.body());
    // Other errors are the upstream's: reading its response tells whether it said why.
    if (error && upstream_.unseen() == UpstreamSide::Unseen::certain) {
        end_.failure =
            Failure{Reason::upstream_unreachable, Party::upstream, "the upstream closed before the request was sent"};
        end_.untouched = true;
    } else if (client_.body_ended()) {
        co_await download();
    } else {
        using namespace asio::experimental::awaitable_operators;
        co_await (upload() || download());
    }
    link_.released();
    if (client_failure_)
        end_.failure = std::move(client_failure_);
    co_return std::move(end_);
}

/// What it refuses is not sent to its end.
std::optional<Failure> Relay::objection_to(const BodyPiece& piece)
{
    if (!piece.sound())
        return unsound_upload(link_, piece.state);
    if (piece.injected)
        return std::nullopt;
    if (request_.watch != nullptr) {
        request_.watch->feed(piece.payload);
        if (request_.watch->refuses())
            return failure_of(request_.watch->seen().back());
    }
    end_.bytes_up += piece.payload.size();
    if (end_.bytes_up > request_.rule.limits.upload.value_or(no_limit))
        return over_limit(Reason::limit_upload, "the request body");
    return std::nullopt;
}

/// Never returns before it is cancelled: `download` decides when the exchange is over.
asio::awaitable<void> Relay::upload()
{
    co_await asio::this_coro::throw_if_cancelled(false);
    const auto executor = co_await asio::this_coro::executor;
    bool upstream_reads = true;
    for (bool ended = false; !ended;) {
        const auto piece = co_await client_.read_body();
        if (over_)
            co_return;
        progress();
        ended = piece.state == BodyPiece::State::ended;
        if (piece.sound() && !upstream_reads)
            continue;
        client_failure_ = objection_to(piece);
        if (client_failure_) {
            upstream_.close();
            break;
        }
        error_code error;
        if (ended)
            error = co_await upstream_.write_last(piece.payload);
        else
            error = co_await upstream_.write(piece.payload);
        // Its response is still worth reading: it tells why the upstream stopped.
        upstream_reads = !error;
    }
    asio::steady_timer parked(executor, std::chrono::steady_clock::time_point::max());
    co_await parked.async_wait(as_result);
}

asio::awaitable<void> Relay::download()
{
    co_await asio::this_coro::throw_if_cancelled(false);
    auto head = co_await read_response();
    if (head && request_.drops)
        end_.again = co_await request_.drops(head->status);
    if (!head) {
        end_.failure = head.error();
    } else if (!end_.again) {
        const auto passed = co_await pass_response(std::move(*head));
        if (!passed)
            end_.failure = passed.error();
    }
    over_ = true;
}

asio::awaitable<Outcome<ResponseHead>> Relay::read_response()
{
    for (unsigned interim = 0; interim <= limits::interim_responses; ++interim) {
        const auto head = co_await upstream_.read_head();
        if (!head)
            co_return head.error();
        link_.watchdog().arm(deadlines_.response);
        if (head->status >= 200 || head->status == 101)
            co_return *head;
        const auto passed = co_await pass_interim(*head);
        if (!passed)
            co_return passed.error();
    }
    co_return Failure{Reason::upstream_invalid, Party::upstream, "more than 16 interim responses before the final one"};
}

asio::awaitable<Outcome<Ok>> Relay::pass_interim(const ResponseHead& interim)
{
    const auto head = rewrite_interim(interim, current_set());
    end_.scrubbed += head.scrubbed;
    const auto error = co_await client_.write_interim(head);
    if (error)
        co_return client_gone();
    co_return Ok{};
}

asio::awaitable<Outcome<Ok>> Relay::pass_response(ResponseHead head)
{
    if (head.status == 101) {
        const auto passed = co_await pass_agreement(head);
        co_return passed;
    }
    // To an extended CONNECT any 2xx would be the yes to a WebSocket (RFC 8441 section 5).
    if (request_.websocket != nullptr && head.status < 300 && client_.protocol() == "h2")
        co_return Failure{Reason::upstream_invalid, Party::upstream,
                          "the server answers the handshake of a WebSocket with " + std::to_string(head.status) +
                              ", as if it were an ordinary request"};
    if (scrubs() && is_part(head.status) && !asked_for_part_)
        co_return unscrubbable("the server sends a part of its answer, which nobody asked for");
    const auto length = upstream_.body();
    if (length.kind == BodyLength::Kind::none) {
        const auto passed = co_await pass_nothing(head);
        co_return passed;
    }
    if (length.size > request_.rule.limits.download.value_or(no_limit))
        co_return over_limit(Reason::limit_download, "the response body");
    if (request_.captures && head.status < 300) {
        const auto passed = co_await pass_captured(std::move(head), length);
        co_return passed;
    }
    if (scrubs()) {
        const auto passed = co_await pass_searched(std::move(head), length);
        co_return passed;
    }
    const auto passed = co_await pass_stream(head, length);
    co_return passed;
}

asio::awaitable<Outcome<Ok>> Relay::pass_agreement(const ResponseHead& head)
{
    const auto agreement = read_websocket_agreement(head, *request_.websocket);
    if (!agreement)
        co_return agreement.error();
    const auto rewritten = rewrite_response(head, current_set(), request_.credentialed);
    end_.scrubbed += rewritten.scrubbed;
    const auto error = co_await client_.accept(rewritten, *agreement);
    if (error)
        co_return client_gone();
    end_.status = head.status;
    end_.switched = true;
    co_return Ok{};
}

/// What is told of a body that does not follow is what would be told if it did.
asio::awaitable<Outcome<Ok>> Relay::pass_nothing(const ResponseHead& head)
{
    const auto coding = scrubs() ? content_coding(head.fields) : ContentCoding::identity;
    std::string etag;
    if (coding && *coding != ContentCoding::identity)
        begin(describe_searched(head, request_.method, *coding, etag), BodyLength{}, Follows::nothing);
    else
        begin(head, described_body(head), Follows::nothing);
    const auto error = co_await client_.write_last({}, {});
    if (error)
        co_return client_gone();
    co_return Ok{};
}

asio::awaitable<Outcome<Ok>> Relay::pass_stream(const ResponseHead& head, BodyLength length)
{
    const auto begun = co_await begin_stream(head, length);
    if (!begun)
        co_return begun;
    for (;;) {
        const auto piece = co_await upstream_.read_body();
        if (!piece.sound())
            co_return cut_off(piece.state);
        progress();
        if (end_.bytes_down + piece.payload.size() > request_.rule.limits.download.value_or(no_limit))
            co_return over_limit(Reason::limit_download, "the response body");
        if (piece.state == BodyPiece::State::ended) {
            const auto passed = co_await write_end(piece.payload);
            co_return passed;
        }
        const auto error = co_await client_.write(piece.payload);
        if (error)
            co_return client_gone();
        end_.bytes_down += piece.payload.size();
    }
}

/// An event stream may be silent after its head.
asio::awaitable<Outcome<Ok>> Relay::begin_stream(const ResponseHead& head, BodyLength length)
{
    begin(head, length, Follows::body);
    error_code begun;
    if (!upstream_.has_body_bytes())
        begun = co_await client_.write({});
    if (begun)
        co_return client_gone();
    co_return Ok{};
}

asio::awaitable<Outcome<Ok>> Relay::pass_searched(ResponseHead head, BodyLength length)
{
    const auto coding = content_coding(head.fields);
    if (!coding)
        co_return unscrubbable("the body is in a content coding that cannot be taken off to search it");
    const bool coded = *coding != ContentCoding::identity;
    if (coded && request_.decoders >= limits::decoders)
        co_return unscrubbable("too many coded bodies at the same time");
    std::optional<DecoderPlace> place;
    if (coded)
        place.emplace(request_.decoders);
    std::string etag;
    head = describe_searched(std::move(head), request_.method, *coding, etag);
    const bool small = length.kind == BodyLength::Kind::counted && length.size <= limits::whole_scrub;
    // A coded body waits too: what is wrong with it often shows at its beginning, when a refusal can still be read.
    Filtered body{BodyFilter(*coding, current_set(), replaced_length(head.fields)),
                  small || coded ? limits::whole_scrub : 0};
    if (body.wait == 0) {
        const auto begun = co_await begin_stream(head, {BodyLength::Kind::chunked, 0});
        if (!begun)
            co_return begun;
        body.begun = true;
    }
    const auto passed = co_await pass_filtered(head, body);
    co_return passed;
}

/// Nothing of it goes on before it is whole and its credentials are out of it.
asio::awaitable<Outcome<Ok>> Relay::pass_captured(ResponseHead head, BodyLength length)
{
    const auto coding = content_coding(head.fields);
    if (!coding)
        co_return unscrubbable("the body is in a content coding that cannot be taken off to search it");
    if (*coding != ContentCoding::identity && request_.decoders >= limits::decoders)
        co_return unscrubbable("too many coded bodies at the same time");
    const DecoderPlace place(request_.decoders);
    std::string etag;
    head = describe_searched(std::move(head), request_.method, *coding, etag);
    WipedText body(2 * max_captured_body);
    const auto held = co_await hold(*coding, body.text);
    if (!held)
        co_return held;
    const auto captured = request_.captures(body.text);
    if (!captured)
        co_return captured.error();
    std::string out;
    end_.scrubbed += current_set().scrub(*captured, out);
    begin(head, {BodyLength::Kind::counted, out.size()}, Follows::body);
    const auto passed = co_await write_end(out);
    co_return passed;
}

asio::awaitable<Outcome<Ok>> Relay::hold(ContentCoding coding, std::string& body)
{
    const ScrubSet nothing;
    BodyFilter filter(coding, nothing);
    for (bool ended = false; !ended;) {
        const auto piece = co_await upstream_.read_body();
        if (!piece.sound())
            co_return cut_off(piece.state);
        progress();
        ended = piece.state == BodyPiece::State::ended;
        const auto held = hold_piece(filter, piece.payload, ended ? BodyFilter::Last::yes : BodyFilter::Last::no, body);
        if (!held)
            co_return held.error();
    }
    co_return Ok{};
}

Outcome<Ok> Relay::hold_piece(BodyFilter& filter, std::string_view rest, BodyFilter::Last last, std::string& body) const
{
    for (auto state = BodyFilter::State::again; state == BodyFilter::State::again;) {
        if (rest.size() > max_captured_body)
            return too_long_to_capture();
        state = filter.next(rest, last, body);
        if (state == BodyFilter::State::failed)
            return unscrubbable(filter.why());
        if (body.size() > max_captured_body)
            return too_long_to_capture();
        if (body.size() > request_.rule.limits.download.value_or(no_limit))
            return over_limit(Reason::limit_download, "the response body");
    }
    return Ok{};
}

asio::awaitable<Outcome<Ok>> Relay::pass_filtered(const ResponseHead& head, Filtered& body)
{
    for (;;) {
        const auto piece = co_await upstream_.read_body();
        if (!piece.sound())
            co_return cut_off(piece.state);
        progress();
        const auto passed = co_await pass_piece(head, body, piece);
        if (!passed)
            co_return passed;
        if (piece.state == BodyPiece::State::ended)
            break;
    }
    if (!body.begun)
        begin(head, {BodyLength::Kind::counted, body.ready.size()}, Follows::body);
    const auto passed = co_await write_end(body.ready);
    co_return passed;
}

/// All but what the end of the body lets go of, which stays in `ready`.
asio::awaitable<Outcome<Ok>> Relay::pass_piece(const ResponseHead& head, Filtered& body, const BodyPiece& piece)
{
    const auto last = piece.state == BodyPiece::State::ended ? BodyFilter::Last::yes : BodyFilter::Last::no;
    auto rest = piece.payload;
    for (auto state = BodyFilter::State::again; state == BodyFilter::State::again;) {
        body.filter.use(current_set());
        const auto before = body.filter.replaced();
        state = body.filter.next(rest, last, body.ready);
        end_.scrubbed += body.filter.replaced() - before; // now: the answer may not end well
        if (state == BodyFilter::State::failed)
            co_return unscrubbable(body.filter.why());
        if (end_.bytes_down + body.ready.size() > request_.rule.limits.download.value_or(no_limit))
            co_return over_limit(Reason::limit_download, "the response body");
        if (!body.begun && body.ready.size() > body.wait) {
            begin(head, {BodyLength::Kind::chunked, 0}, Follows::body);
            body.begun = true;
        }
        const bool ended = last == BodyFilter::Last::yes && state == BodyFilter::State::fed;
        if (!body.begun || ended)
            continue;
        const auto error = co_await client_.write(body.ready);
        if (error)
            co_return client_gone();
        end_.bytes_down += body.ready.size();
        body.ready.clear();
    }
    co_return Ok{};
}

asio::awaitable<Outcome<Ok>> Relay::write_end(std::string_view payload)
{
    const auto trailers = rewrite_trailers(upstream_.trailers().fields(), current_set(), end_.scrubbed);
    const auto error = co_await client_.write_last(payload, trailers);
    if (error)
        co_return client_gone();
    end_.bytes_down += payload.size();
    co_return Ok{};
}

/// Another request of the task may have had a new credential injected since the last piece, and its server may write
/// that into this response: an event stream or a log that was opened before.
const ScrubSet& Relay::current_set()
{
    set_ = injected_.set();
    return *set_;
}

void Relay::begin(const ResponseHead& head, BodyLength announced, Follows follows)
{
    const auto rewritten = rewrite_response(head, current_set(), request_.credentialed);
    end_.scrubbed += rewritten.scrubbed;
    end_.status = head.status;
    client_.begin(rewritten, announced, follows);
    link_.response_begun();
    progress();
}

Failure Relay::over_limit(policy::Reason reason, const std::string& what) const
{
    return {reason, Party::self, what + " is longer than rule " + request_.rule.name + " allows"};
}

Failure Relay::client_gone()
{
    if (link_.watchdog().expired())
        return {Reason::upstream_timeout, Party::client, "the client took nothing of the response for too long"};
    link_.client_left();
    return {Reason::internal, Party::client, "the client closed before the end of the response"};
}

Failure Relay::cut_off(BodyPiece::State state) const
{
    if (link_.watchdog().expired())
        return {Reason::upstream_timeout, Party::upstream, "the response body stood still for too long"};
    const bool invalid = state == BodyPiece::State::invalid;
    return {Reason::upstream_invalid, Party::upstream,
            invalid ? "the framing of the response body is not valid"
                    : "the upstream closed before the end of its response body"};
}

} // namespace aduana::proxy
