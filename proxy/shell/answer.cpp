// SPDX-License-Identifier: Apache-2.0
// Refusals as responses.
#include "proxy/shell/answer.hpp"

#include "proxy/core/rewrite.hpp"

namespace aduana::proxy {

namespace {

AfterRefusal after_refusal(const RefusedRequest& request, const Link& link)
{
    if (request.head == nullptr || request.head->minor_version == 0 || !wants_keep_alive(*request.head))
        return AfterRefusal::close;
    // A client that waits for "100 Continue" may keep its body or send it: nobody can tell what the next byte is.
    if (request.head->fields.find("Expect") || link.watchdog().expired())
        return AfterRefusal::close;
    switch (request.body.kind) {
    case BodyLength::Kind::none:
        return AfterRefusal::keep_alive;
    case BodyLength::Kind::counted:
        return request.body.size <= limits::drained_body ? AfterRefusal::keep_alive : AfterRefusal::close;
    case BodyLength::Kind::chunked:
    case BodyLength::Kind::until_close:
        break;
    }
    return AfterRefusal::close;
}

std::string response_of(const RefusedRequest& request, const Refusal& refusal, AfterRefusal after)
{
    if (request.head == nullptr)
        return render(refusal, RefusalFormat::problem_json, after, BodyWanted::yes);
    const auto& fields = request.head->fields;
    const auto format = format_for(fields.find("User-Agent").value_or(""), fields.find("Accept").value_or(""));
    const auto body = request.head->method == "HEAD" ? BodyWanted::head_only : BodyWanted::yes;
    return render(refusal, format, after, body);
}

} // namespace

asio::awaitable<ConnectionUse> answer(Link& link, Incoming& client, RefusedRequest request, const Refusal& refusal,
                                      const Deadlines& deadlines)
{
    const auto after = after_refusal(request, link);
    const auto response = response_of(request, refusal, after);
    link.watchdog().arm(deadlines.head);
    const auto error = co_await client.stream().write_all(response);
    if (error)
        co_return ConnectionUse::none;
    if (after == AfterRefusal::close) {
        co_await linger(link, deadlines);
        co_return ConnectionUse::none;
    }
    IncomingBody body(client, request.body);
    while (!body.ended()) {
        const auto piece = co_await body.next();
        if (piece.state != IncomingBody::State::more && piece.state != IncomingBody::State::ended)
            co_return ConnectionUse::none;
    }
    co_return ConnectionUse::again;
}

asio::awaitable<void> linger(Link& link, const Deadlines& deadlines)
{
    link.watchdog().arm(deadlines.linger);
    co_await link.client().finish();
    const auto scratch = std::make_unique_for_overwrite<char[]>(limits::relay_buffer);
    for (;;) {
        const auto got = co_await link.client().read_some(std::span(scratch.get(), limits::relay_buffer));
        if (got.size == 0)
            break;
    }
    link.client().close();
}

} // namespace aduana::proxy
