// SPDX-License-Identifier: Apache-2.0
// One request at a time: send, then wait for the reply with its id.
#include "broker/client/control.hpp"

#include "broker/protocol/codec.hpp"
#include "policy/base/patient.hpp"

namespace aduana::broker {
namespace {

constexpr std::string_view peer = "aduana-broker";

template <class T>
Result<T> expect(Result<Message> reply)
{
    if (!reply)
        return reply.error();
    if (auto* wanted = std::get_if<T>(&*reply))
        return std::move(*wanted);
    if (const auto* refused = std::get_if<Refused>(&*reply))
        return Error{refused->detail};
    return Error{"aduana-broker answered with " + std::string(name_of(type_of(*reply))),
                 "are aduana and aduana-broker of the same version?"};
}

} // namespace

ControlClient::ControlClient(UniqueFd socket, std::chrono::milliseconds deadline)
    : socket_(std::move(socket)), deadline_(deadline)
{
}

Result<TaskOpened> ControlClient::open(const TaskOpen& request, const std::vector<int>& descriptors)
{
    return expect<TaskOpened>(exchange(encode_open(request, next_request_), descriptors));
}

Result<TaskClosed> ControlClient::close(const TaskClose& request)
{
    return expect<TaskClosed>(exchange(encode(Message(request), next_request_), {}));
}

Result<Message> ControlClient::exchange(const wire::Writer& request, const std::vector<int>& descriptors)
{
    const auto id = next_request_++;
    if (request.frame().empty())
        return Error{"the request to aduana-broker is longer than one message (256 KiB)",
                     "shorten the environment variables that credentials come from"};
    const auto deadline = std::chrono::steady_clock::now() + deadline_;
    if (const auto sent = send_by(deadline, socket_.get(), peer, request.frame(), descriptors); !sent)
        return sent.error();
    for (;;) {
        auto datagram = receive_by(deadline, socket_.get(), peer);
        if (!datagram)
            return datagram.error();
        auto decoded = decode(datagram->bytes);
        wipe(datagram->bytes);
        if (!decoded)
            return Error{"aduana-broker sent a bad frame: " + decoded.error().message};
        // The late reply to a request that this side has given up.
        if (decoded->request < id)
            continue;
        if (decoded->request > id)
            return Error{"aduana-broker answered a request that was never sent"};
        return std::move(decoded->message);
    }
}

} // namespace aduana::broker
