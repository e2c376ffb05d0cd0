// SPDX-License-Identifier: Apache-2.0
// Both sides' handshakes are judged by the letter: a peer that is taken for a WebSocket and is none would read frames
// as requests, or requests as frames.
#include "proxy/core/websocket_handshake.hpp"

#include "certs/digest.hpp"
#include "proxy/core/body.hpp"
#include "proxy/core/grammar.hpp"

#include <algorithm>

namespace aduana::proxy {

namespace {

using policy::Reason;

constexpr std::string_view accept_salt = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
constexpr std::string_view version = "13";
constexpr std::size_t key_bytes = 16;
constexpr std::size_t max_protocols = 32;

Failure client_fault(std::string_view detail)
{
    return {Reason::framing_invalid, Party::client, std::string(detail)};
}

Failure server_fault(std::string_view detail)
{
    return {Reason::upstream_invalid, Party::upstream, std::string(detail)};
}

std::vector<std::string_view> elements_of(const Fields& fields, std::string_view name)
{
    std::vector<std::string_view> elements;
    for (const auto& field : fields) {
        if (same_name(field.name, name))
            for_each_element(field.value, [&elements](std::string_view element) { elements.push_back(element); });
    }
    return elements;
}

bool is_only(const Fields& fields, std::string_view name, std::string_view value)
{
    return fields.count(name) == 1 && fields.find(name) == value;
}

bool is_http2(std::string_view protocol)
{
    return same_name(protocol, "h2c");
}

/// RFC 6455 section 11.3.4: distinct tokens. False where they are not.
bool read_protocols(const Fields& fields, WebsocketOffer& offer)
{
    offer.protocols = elements_of(fields, "Sec-WebSocket-Protocol");
    const auto& all = offer.protocols;
    if (all.size() > max_protocols)
        return false;
    for (auto one = all.begin(); one != all.end(); ++one) {
        if (!is_token(*one) || std::find(all.begin(), one, *one) != one)
            return false;
    }
    return true;
}

bool has_body(const RequestHead& head)
{
    const auto body = body_of(head);
    return body.kind == BodyLength::Kind::chunked || body.size != 0;
}

/// A fixed sentence, or empty.
std::string_view fault_of_request(const RequestHead& head)
{
    if (head.method != "GET")
        return "a WebSocket is asked for with another method than GET";
    if (has_body(head))
        return "a request for a WebSocket has a body";
    if (!is_only(head.fields, "Sec-WebSocket-Version", version))
        return "Sec-WebSocket-Version is not 13";
    if (head.fields.count("Sec-WebSocket-Key") != 1)
        return "a request for a WebSocket needs one Sec-WebSocket-Key";
    const auto key = certs::from_base64(head.fields.find("Sec-WebSocket-Key").value_or(""));
    return key && key->size() == key_bytes ? "" : "Sec-WebSocket-Key is not 16 bytes in base64";
}

void append_field(std::string& out, std::string_view name, std::string_view value)
{
    out.append(name).append(": ").append(value).append("\r\n");
}

void append_upgrade(std::string& out)
{
    append_field(out, "Connection", "Upgrade");
    append_field(out, "Upgrade", "websocket");
}

/// What both versions of HTTP have in common.
Outcome<WebsocketAgreement> agreed(const Fields& fields, const WebsocketOffer& offer)
{
    if (fields.count("Sec-WebSocket-Extensions") != 0)
        return server_fault("the upstream uses a WebSocket extension that was not offered");
    const auto lines = fields.count("Sec-WebSocket-Protocol");
    if (lines == 0)
        return WebsocketAgreement{};
    const auto protocol = fields.find("Sec-WebSocket-Protocol").value_or("");
    const bool offered = std::find(offer.protocols.begin(), offer.protocols.end(), protocol) != offer.protocols.end();
    if (lines != 1 || !offered)
        return server_fault("the upstream chose a WebSocket subprotocol that was not offered");
    return WebsocketAgreement{protocol};
}

} // namespace

Outcome<std::optional<WebsocketOffer>> read_websocket_offer(const RequestHead& head)
{
    const auto asked = elements_of(head.fields, "Upgrade");
    if (asked.empty() || head.minor_version == 0 || !head.fields.has_token("Connection", "Upgrade"))
        return std::nullopt;
    if (std::all_of(asked.begin(), asked.end(), is_http2))
        return std::nullopt;
    if (asked.size() != 1 || !same_name(asked.front(), "websocket"))
        return Failure{Reason::upgrade_refused, Party::client, "the request asks for an upgrade that is no WebSocket"};
    if (const auto fault = fault_of_request(head); !fault.empty())
        return client_fault(fault);
    WebsocketOffer offer{std::string(head.fields.find("Sec-WebSocket-Key").value_or(""))};
    if (!read_protocols(head.fields, offer))
        return client_fault("Sec-WebSocket-Protocol is not a list of distinct tokens");
    return offer;
}

Outcome<WebsocketOffer> read_extended_connect(std::string_view protocol, const Fields& fields)
{
    if (protocol != "websocket")
        return Failure{Reason::upgrade_refused, Party::client, "the request asks for a protocol that is no WebSocket"};
    if (!is_only(fields, "Sec-WebSocket-Version", version))
        return client_fault("Sec-WebSocket-Version is not 13");
    if (fields.count("Content-Length") != 0)
        return client_fault("a request for a WebSocket has a length");
    WebsocketOffer offer;
    if (!read_protocols(fields, offer))
        return client_fault("Sec-WebSocket-Protocol is not a list of distinct tokens");
    return offer;
}

void append_websocket_offer(std::string& out, const WebsocketOffer& offer)
{
    append_upgrade(out);
    append_field(out, "Sec-WebSocket-Version", version);
    append_field(out, "Sec-WebSocket-Key", offer.key);
    if (offer.protocols.empty())
        return;
    std::string list;
    for (const auto protocol : offer.protocols)
        list.append(list.empty() ? "" : ", ").append(protocol);
    append_field(out, "Sec-WebSocket-Protocol", list);
}

Outcome<WebsocketAgreement> read_websocket_agreement(const ResponseHead& head, const WebsocketOffer& offer)
{
    const auto& fields = head.fields;
    const auto upgrades = elements_of(fields, "Upgrade");
    if (head.status != 101 || head.minor_version != 1)
        return server_fault("the upstream did not switch from HTTP/1.1");
    if (upgrades.size() != 1 || !same_name(upgrades.front(), "websocket"))
        return server_fault("the upstream switched to another protocol than WebSocket");
    if (!fields.has_token("Connection", "Upgrade"))
        return server_fault("the upstream switched without Connection: Upgrade");
    if (!is_only(fields, "Sec-WebSocket-Accept", websocket_accept(offer.key)))
        return server_fault("Sec-WebSocket-Accept of the upstream does not answer the key");
    return agreed(fields, offer);
}

Outcome<WebsocketAgreement> read_connect_agreement(const ResponseHead& head, const WebsocketOffer& offer)
{
    if (head.status < 200 || head.status >= 300)
        return server_fault("the upstream did not agree to a WebSocket");
    return agreed(head.fields, offer);
}

void append_websocket_agreement(std::string& out, std::string_view key, const WebsocketAgreement& agreement)
{
    append_upgrade(out);
    append_field(out, "Sec-WebSocket-Accept", websocket_accept(key));
    if (!agreement.protocol.empty())
        append_field(out, "Sec-WebSocket-Protocol", agreement.protocol);
}

std::string websocket_accept(std::string_view key)
{
    return certs::to_base64(certs::sha1(std::string(key).append(accept_salt)));
}

} // namespace aduana::proxy
