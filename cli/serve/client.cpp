// SPDX-License-Identifier: Apache-2.0
// One request, one reply.
#include "cli/serve/client.hpp"

#include "cli/serve/codec.hpp"
#include "policy/base/patient.hpp"

namespace aduana::serve {

namespace {

constexpr std::string_view peer = "aduana serve";

Error unexpected(const Message& message)
{
    return {"aduana serve answered with " + std::string(name_of(type_of(message))),
            "are both programs of the same version?"};
}

} // namespace

Client::Client(UniqueFd socket, std::chrono::milliseconds deadline) : socket_(std::move(socket)), deadline_(deadline) {}

Result<Session> Client::open(const Open& request)
{
    auto reply = exchange(request);
    if (!reply)
        return reply.error();
    if (!std::holds_alternative<Opened>(reply->message))
        return unexpected(reply->message);
    auto& ends = reply->descriptors;
    if (ends.size() != opened_descriptors)
        return Error{"aduana serve sent " + std::to_string(ends.size()) + " descriptors instead of " +
                         std::to_string(opened_descriptors),
                     "are both programs of the same version?"};
    return Session{std::move(ends[0]), std::move(ends[1]), std::move(ends[2]), std::move(ends[3])};
}

Result<Tasks> Client::list()
{
    return ask<Tasks>(List{});
}

Result<Ok> Client::detach(const std::string& task)
{
    const auto detached = ask<Detached>(Detach{task});
    return detached ? Result<Ok>(Ok{}) : detached.error();
}

Ended Client::ended()
{
    auto datagram = receive_by(std::chrono::steady_clock::now() + deadline_, socket_.get(), peer);
    if (datagram)
        if (auto decoded = decode(datagram->bytes))
            if (auto* told = std::get_if<Ended>(&decoded->message))
                return std::move(*told);
    return {"aduana serve ended; without its proxy there is no way out", "proxy-died"};
}

template <class T>
Result<T> Client::ask(const Message& request)
{
    auto reply = exchange(request);
    if (!reply)
        return reply.error();
    if (auto* wanted = std::get_if<T>(&reply->message))
        return std::move(*wanted);
    return unexpected(reply->message);
}

Result<Client::Reply> Client::exchange(const Message& request)
{
    const auto id = next_request_++;
    const auto frame = encode(request, id);
    const auto deadline = std::chrono::steady_clock::now() + deadline_;
    if (const auto sent = send_by(deadline, socket_.get(), peer, frame.frame(), {}); !sent)
        return sent.error();
    auto datagram = receive_by(deadline, socket_.get(), peer);
    if (!datagram)
        return datagram.error();
    auto decoded = decode(datagram->bytes);
    if (!decoded)
        return Error{"aduana serve sent a bad frame: " + decoded.error().message};
    if (const auto* failed = std::get_if<Failed>(&decoded->message))
        return Error{failed->message, failed->remedy};
    if (decoded->request != id)
        return Error{"aduana serve answered a request that was never sent"};
    return Reply{std::move(decoded->message), std::move(datagram->descriptors)};
}

} // namespace aduana::serve
