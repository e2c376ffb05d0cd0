// SPDX-License-Identifier: Apache-2.0
// Streams of a client become exchanges; a refusal of one leaves the others alone.
#include "proxy/shell/http2_client.hpp"

#include "certs/digest.hpp"
#include "proxy/shell/exchange.hpp"
#include "proxy/shell/nursery.hpp"

namespace aduana::proxy {

namespace {

using policy::Reason;

/// One stream of a client, from its head to its record.
class Request {
public:
    Request(Task& task, const Scope& scope, std::shared_ptr<Http2Mux> mux, Http2Event event)
        : task_(task), scope_(scope), stream_(task.executor, std::move(mux), event.stream),
          malformed_(event.kind == Http2Event::Kind::invalid), last_(event.last), received_(std::move(event))
    {
        if (malformed_)
            stream_.receive({.kind = Http2Event::Kind::invalid, .stream = stream_.id()});
        else if (last_)
            stream_.receive({.kind = Http2Event::Kind::end, .stream = stream_.id()});
        ++task_.streams;
    }
    Request(const Request&) = delete;
    Request& operator=(const Request&) = delete;
    ~Request() { --task_.streams; }

    asio::awaitable<void> run()
    {
        const auto head = read_head();
        const auto length = head ? http2_body_of(head->fields, last_) : BodyLength{BodyLength::Kind::chunked, 0};
        Link link(task_.executor, stream_);
        Http2Client client(stream_, link, head ? &*head : nullptr, length, received_.protocol(), task_.deadlines);
        link.watchdog().arm(task_.deadlines.idle);
        Exchange exchange(task_, link, client, scope_);
        co_await exchange.run(head);
    }
    void close() { stream_.close(); }

private:
    Outcome<RequestHead> read_head()
    {
        if (malformed_)
            return Failure{Reason::framing_invalid, Party::client, "the request is not valid HTTP/2"};
        return received_.request(scope_.scheme);
    }

    Task& task_;
    const Scope& scope_;
    Http2Stream stream_;
    bool malformed_;
    bool last_;
    Http2Head received_;
};

/// Its client may try again later: nothing was done (RFC 9113 section 8.7).
void record_refused_stream(Task& task, const Scope& scope, std::size_t most, const std::string& where)
{
    AttemptRecord record(task, scope.way_in, "h2");
    record.aims_at(scope);
    record.refused({Reason::limit_connections, Party::client,
                    std::to_string(most) + " requests are open on " + where + " already"});
}

void refuse_stream(Task& task, const Scope& scope, Http2Mux& mux, StreamId stream)
{
    record_refused_stream(task, scope, limits::streams, "the connections of the task");
    mux.session().reset(stream, Http2Error::refused_stream);
}

} // namespace

Http2Client::Http2Client(Http2Stream& stream, Link& link, const RequestHead* head, BodyLength length,
                         std::string_view upgrade, const Deadlines& deadlines)
    : stream_(stream), link_(link), head_(head), length_(length), upgrade_(upgrade), deadlines_(deadlines),
      bytes_(stream), frames_(bytes_)
{
}

Outcome<std::optional<WebsocketOffer>> Http2Client::websocket_offer()
{
    if (upgrade_.empty())
        return std::optional<WebsocketOffer>();
    auto offer = read_extended_connect(upgrade_, head_->fields);
    if (!offer)
        return offer.error();
    offer->key = certs::to_base64(certs::random_bytes(16)); // for a server of HTTP/1.1
    return std::optional(std::move(*offer));
}

asio::awaitable<error_code> Http2Client::accept(const OutgoingResponse& head, const WebsocketAgreement& agreement)
{
    OutgoingResponse accepted = head;
    accepted.status = 200; // RFC 8441 section 5
    if (!agreement.protocol.empty())
        accepted.fields.add("sec-websocket-protocol", agreement.protocol);
    begin(accepted, {BodyLength::Kind::chunked, 0}, Follows::body);
    co_return error_code();
}

asio::awaitable<BodyPiece> Http2Client::read_body()
{
    const auto piece = co_await stream_.read_body();
    co_return piece;
}

asio::awaitable<error_code> Http2Client::write_interim(const OutgoingResponse& head)
{
    Http2Texts texts;
    stream_.mux().session().submit_interim(stream_.id(), http2_fields(head, {}, texts));
    stream_.mux().wake();
    co_return error_code();
}

void Http2Client::begin(const OutgoingResponse& head, BodyLength announced, Follows follows)
{
    Http2Texts texts;
    follows_ = follows == Follows::body;
    stream_.mux().session().submit_response(stream_.id(), http2_fields(head, announced, texts),
                                            follows_ ? Http2Session::Body::follows : Http2Session::Body::none);
    stream_.mux().wake();
}

asio::awaitable<error_code> Http2Client::write(std::string_view payload)
{
    if (payload.empty())
        co_return error_code();
    const auto error = co_await stream_.write(payload, Http2Session::Piece::more);
    co_return error;
}

asio::awaitable<error_code> Http2Client::write_last(std::string_view payload, const FieldBuffer& trailers)
{
    if (!follows_)
        co_return error_code();
    const auto error = co_await stream_.write(payload, Http2Session::Piece::last, trailers);
    co_return error;
}

asio::awaitable<void> Http2Client::finish()
{
    co_await stream_.written_out();
    // RFC 9113 section 8.1: the rest of the request is not wanted any more, and that is no error.
    if (!stream_.message_read())
        stream_.reset(Http2Error::no_error);
}

asio::awaitable<void> Http2Client::answer(const Refusal& refusal)
{
    auto format = RefusalFormat::problem_json;
    if (head_ != nullptr)
        format = format_for(head_->fields, protocol());
    const auto response = render(refusal, format);
    const bool head_only = response.body.empty() || (head_ != nullptr && head_->method == "HEAD");
    link_.watchdog().arm(deadlines_.head);
    begin(response.head, {BodyLength::Kind::counted, response.body.size()},
          head_only ? Follows::nothing : Follows::body);
    const auto error = co_await write_last(response.body, {});
    if (!error)
        co_await finish();
}

/// CANCEL would say that the client's program did not want it any more.
void Http2Client::close()
{
    stream_.reset(Http2Error::internal_error);
}

asio::awaitable<bool> serve_http2(Task& task, Link& link, Stream& bytes, std::string early, const Scope& scope)
{
    bool heard = false;
    Nursery requests(task.executor);
    std::weak_ptr<Http2Mux> shared;
    const auto opened = [&](Http2Event event) {
        heard = true;
        if (event.kind == Http2Event::Kind::refused)
            return record_refused_stream(task, scope, limits::of_client_http2.streams, "this connection of HTTP/2");
        if (task.streams >= limits::streams)
            return refuse_stream(task, scope, *shared.lock(), event.stream);
        requests.spawn(std::make_unique<Request>(task, scope, shared.lock(), std::move(event)));
    };
    const auto mux = std::make_shared<Http2Mux>(task.executor, Http2Role::server, limits::of_client_http2, opened);
    shared = mux;
    co_await mux->drive(bytes, std::move(early), link.watchdog(), task.deadlines.keep_alive);
    if (mux->session().broken()) {
        heard = true;
        AttemptRecord record(task, scope.way_in, "h2");
        record.aims_at(scope);
        record.refused({Reason::framing_invalid, Party::client, "the client broke the protocol of HTTP/2"});
    }
    requests.close_all();
    for (bool left = true; left;) // they refer to what lives here
        left = !co_await requests.emptied(task.deadlines.shutdown);
    co_return heard;
}

} // namespace aduana::proxy
