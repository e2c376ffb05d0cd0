// SPDX-License-Identifier: Apache-2.0
// Serialising heads anew from what was parsed: no byte of framing is ever copied from one side to the other.
#include "proxy/core/http1.hpp"

#include <array>
#include <charconv>

namespace aduana::proxy {

namespace {

void append_field(std::string& out, std::string_view name, std::string_view value)
{
    out.append(name).append(": ").append(value).append("\r\n");
}

void append_number(std::string& out, std::uint64_t number)
{
    std::array<char, 20> digits;
    out.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
}

void append_length(std::string& out, std::uint64_t size)
{
    out.append("Content-Length: ");
    append_number(out, size);
    out.append("\r\n");
}

void append_framing(std::string& out, const BodyLength& body)
{
    if (body.kind == BodyLength::Kind::chunked)
        append_field(out, "Transfer-Encoding", "chunked");
    else if (body.kind == BodyLength::Kind::counted)
        append_length(out, body.size);
}

void append_framing(std::string& out, const ResponsePlan& plan)
{
    if (plan.framing == ResponseFraming::chunked)
        append_field(out, "Transfer-Encoding", "chunked");
    else if (plan.framing == ResponseFraming::counted)
        append_length(out, plan.size);
    if (plan.close || plan.framing == ResponseFraming::until_close)
        append_field(out, "Connection", "close");
}

} // namespace

void append_head(std::string& out, const OutgoingRequest& head, const BodyLength& body)
{
    out.append(head.method).append(" ").append(head.path).append(head.query).append(" HTTP/1.1\r\n");
    append_field(out, "Host", head.authority);
    for (const auto& field : head.fields)
        append_field(out, field.name, field.value);
    if (head.websocket != nullptr)
        append_websocket_offer(out, *head.websocket);
    else
        append_framing(out, body);
    out.append("\r\n");
}

std::size_t head_size(const OutgoingRequest& head)
{
    constexpr std::size_t framing = 128; // version, Host, Content-Length, line ends
    std::size_t size = framing + head.method.size() + head.path.size() + head.query.size() + head.authority.size();
    for (const auto& field : head.fields)
        size += field.name.size() + field.value.size() + 4;
    if (head.websocket != nullptr) {
        std::string offer;
        append_websocket_offer(offer, *head.websocket);
        size += offer.size();
    }
    return size;
}

void append_head(std::string& out, const OutgoingResponse& head, const ResponsePlan& plan)
{
    out.append("HTTP/1.1 ");
    append_number(out, static_cast<std::uint64_t>(head.status));
    out.append(" ").append(head.reason_phrase).append("\r\n");
    for (const auto& field : head.fields.fields())
        append_field(out, field.name, field.value);
    append_framing(out, plan);
    out.append("\r\n");
}

void append_head(std::string& out, const OutgoingResponse& head, std::string_view key,
                 const WebsocketAgreement& agreement)
{
    append_head(out, head, ResponsePlan{});
    out.resize(out.size() - 2); // the empty line
    append_websocket_agreement(out, key, agreement);
    out.append("\r\n");
}

void append_last_chunk(std::string& out, const FieldBuffer& trailers)
{
    out.append("0\r\n");
    for (const auto& field : trailers.fields())
        append_field(out, field.name, field.value);
    out.append("\r\n");
}

namespace {

template <class Head>
bool persists(const Head& head)
{
    if (head.fields.has_token("Connection", "close"))
        return false;
    return head.minor_version == 1 || head.fields.has_token("Connection", "keep-alive");
}

} // namespace

bool wants_keep_alive(const RequestHead& head)
{
    return persists(head);
}

bool wants_keep_alive(const ResponseHead& head)
{
    return persists(head);
}

} // namespace aduana::proxy
