// SPDX-License-Identifier: Apache-2.0
// Whatever a peer of HTTP/2 sends: what is held stays within its bounds, and a head that is accepted could be written
// as one of HTTP/1.1. The first byte chooses our role.
#include "proxy/core/head_parser.hpp"
#include "proxy/core/http1.hpp"
#include "proxy/core/http2_message.hpp"

#include <cstdlib>
#include <map>

namespace {

using namespace aduana::proxy;

constexpr Http2Limits limits{
    .streams = 8, .stream_window = 4096, .connection_window = 65'535, .head_bytes = 4096, .fields = 30};

void require(bool holds)
{
    if (!holds)
        std::abort();
}

void check_request(const RequestHead& head)
{
    std::string bytes;
    bytes.append(head.method).append(" ").append(head.target).append(" HTTP/1.1\r\n");
    for (const auto& field : head.fields)
        bytes.append(field.name).append(": ").append(field.value).append("\r\n");
    bytes.append("\r\n");
    const auto again = parse_request_head(bytes);
    require(again.has_value());
    require(again->method == head.method && again->target == head.target);
    require(again->fields.size() == head.fields.size());
}

void check_response(const ResponseHead& head)
{
    std::string bytes = "HTTP/1.1 " + std::to_string(head.status) + " \r\n";
    for (const auto& field : head.fields)
        bytes.append(field.name).append(": ").append(field.value).append("\r\n");
    bytes.append("\r\n");
    const auto again = parse_response_head(bytes);
    require(again.has_value() && again->status == head.status);
}

class Peer {
public:
    explicit Peer(Http2Role role) : role_(role), session_(role, limits)
    {
        if (role == Http2Role::client)
            (void)session_.submit_request(
                {{":method", "GET"}, {":scheme", "https"}, {":authority", "a.test"}, {":path", "/"}},
                Http2Session::Body::none);
    }

    bool feed(std::string_view bytes)
    {
        const bool sound = session_.feed(bytes);
        for (auto& event : session_.take_events())
            handle(std::move(event));
        std::string out;
        session_.take_output(out, 1 << 20);
        for (auto& event : session_.take_events())
            handle(std::move(event));
        return sound && !session_.over();
    }

private:
    void handle(Http2Event event)
    {
        require(event.stream != 0);
        require(event.fields.bytes() <= limits.head_bytes && event.fields.count() <= limits.fields);
        if (event.kind == Http2Event::Kind::data) {
            unread_ += event.data.size();
            require(unread_ <= limits.connection_window);
            if (unread_ > limits.connection_window / 2) {
                session_.consume(event.stream, unread_);
                unread_ = 0;
            }
        }
        if (event.kind != Http2Event::Kind::head)
            return;
        const auto stream = event.stream;
        Http2Head head(std::move(event));
        if (role_ == Http2Role::client) {
            if (const auto response = head.response())
                check_response(*response);
            return;
        }
        const auto request = head.request(aduana::policy::Scheme::https);
        if (request && head.protocol().empty())
            check_request(*request);
        session_.submit_response(stream, {{":status", "200"}}, Http2Session::Body::follows);
        session_.offer(stream, "hello", Http2Session::Piece::last);
    }

    Http2Role role_;
    Http2Session session_;
    std::size_t unread_ = 0;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size == 0)
        return 0;
    const auto role = (data[0] & 1) != 0 ? Http2Role::client : Http2Role::server;
    Peer peer(role);
    std::string_view rest(reinterpret_cast<const char*>(data + 1), size - 1);
    const std::size_t piece = data[0] / 2 + 1;
    if (role == Http2Role::server && !peer.feed("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))
        return 0;
    while (!rest.empty()) {
        if (!peer.feed(rest.substr(0, piece)))
            return 0;
        rest.remove_prefix(std::min(piece, rest.size()));
    }
    return 0;
}
