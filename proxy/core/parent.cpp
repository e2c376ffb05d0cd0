// SPDX-License-Identifier: Apache-2.0
// CONNECT, seen from the client's side.
#include "proxy/core/parent.hpp"

#include "policy/special_names.hpp"
#include "proxy/core/head_parser.hpp"

#include <algorithm>

namespace aduana::proxy {

namespace {

using policy::Reason;

} // namespace

std::string place_of(const Parent& parent)
{
    return parent.host.uri_host() + ":" + std::to_string(parent.port);
}

bool goes_direct(const Parent& parent, const policy::Host& host)
{
    return std::ranges::any_of(parent.except, [&](const auto& pattern) { return pattern.matches(host); });
}

Outcome<Ok> vet_name(const policy::Host& name)
{
    if (policy::names_loopback(name))
        return Failure{Reason::address_private, Party::client, name.text() + " is a name of loopback"};
    if (policy::names_metadata_service(name))
        return Failure{Reason::address_metadata, Party::client, name.text() + " names a metadata service"};
    return Ok{};
}

std::string connect_head(const policy::Host& host, std::uint16_t port, std::span<const broker::HeaderField> credential)
{
    const auto authority = host.uri_host() + ":" + std::to_string(port);
    std::size_t size = 64 + 2 * authority.size();
    for (const auto& field : credential)
        size += field.name.size() + field.value.size() + 4;
    std::string head;
    head.reserve(size); // growing would leave a copy of a secret behind
    head.append("CONNECT ").append(authority).append(" HTTP/1.1\r\nHost: ").append(authority).append("\r\n");
    for (const auto& field : credential)
        head.append(field.name).append(": ").append(field.value.reveal()).append("\r\n");
    head.append("\r\n");
    return head;
}

Outcome<ParentAnswer> judge_parent(std::string_view head, const Parent& parent, std::string_view asked)
{
    const std::string who = "the parent proxy " + place_of(parent);
    const auto answer = parse_response_head(head);
    if (!answer)
        return Failure{Reason::upstream_invalid, Party::upstream, who + ": " + answer.error().detail};
    const auto status = answer->status;
    if (status >= 200 && status < 300)
        return ParentAnswer::opened;
    if (status < 200)
        return ParentAnswer::interim;
    std::string detail = who + " answered " + std::to_string(status) + " to CONNECT " + std::string(asked);
    if (status == 407 || status == 401) // 401 is an origin's answer, and yet what some proxies give
        detail += parent.credential.empty() ? ": it asks for a credential" : ": it does not take its credential";
    return Failure{Reason::parent_refused, Party::upstream, std::move(detail)};
}

} // namespace aduana::proxy
