// SPDX-License-Identifier: Apache-2.0
// One request at a time; refusals that the proxy tells in between are kept.
#include "proxy/control/client.hpp"

#include "policy/base/patient.hpp"
#include "proxy/control/codec.hpp"

#include <poll.h>

namespace aduana::proxy::control {
namespace {

constexpr std::string_view peer = "aduana-proxy";
constexpr std::uint64_t unasked = 0;

Error bad_frame(const Error& error)
{
    return {"aduana-proxy sent a bad frame: " + error.message, error.remedy};
}

template <class T>
Result<T> expect(Result<Message> reply)
{
    if (!reply)
        return reply.error();
    if (auto* wanted = std::get_if<T>(&*reply))
        return std::move(*wanted);
    if (const auto* failed = std::get_if<Failed>(&*reply))
        return Error{failed->message, failed->remedy};
    return Error{"aduana-proxy answered with " + std::string(name_of(type_of(*reply))),
                 "are aduana and aduana-proxy of the same version?"};
}

} // namespace

Client::Client(UniqueFd socket, std::chrono::milliseconds deadline) : socket_(std::move(socket)), deadline_(deadline) {}

Result<TaskOpened> Client::open(const TaskOpen& request, const std::vector<int>& descriptors)
{
    return expect<TaskOpened>(exchange(encode_open(request, next_request_), descriptors));
}

Result<TaskClosed> Client::close(const TaskClose& request)
{
    return expect<TaskClosed>(exchange(encode(request, next_request_), {}));
}

Result<Ok> Client::note(const Note& note)
{
    const auto frame = encode(note, next_request_++);
    return send_by(std::chrono::steady_clock::now() + deadline_, socket_.get(), peer, frame.frame(), {});
}

Result<Message> Client::exchange(const wire::Writer& request, const std::vector<int>& descriptors)
{
    const auto id = next_request_++;
    if (request.frame().empty())
        return Error{"the request to aduana-proxy is longer than one message (256 KiB)",
                     "shorten the operator's list of fixed hosts"};
    const auto deadline = std::chrono::steady_clock::now() + deadline_;
    if (const auto sent = send_by(deadline, socket_.get(), peer, request.frame(), descriptors); !sent)
        return sent.error();
    for (;;) {
        auto datagram = receive_by(deadline, socket_.get(), peer);
        if (!datagram)
            return datagram.error();
        auto decoded = decode(datagram->bytes);
        if (!decoded)
            return bad_frame(decoded.error());
        const auto* refusal = std::get_if<Refusal>(&decoded->message);
        if (refusal != nullptr && decoded->request == unasked) {
            waiting_.push_back(*refusal);
            continue;
        }
        // The late reply to a request that this side has given up.
        if (decoded->request < id && decoded->request != unasked)
            continue;
        if (decoded->request != id)
            return Error{"aduana-proxy answered a request that was never sent"};
        return std::move(decoded->message);
    }
}

Result<std::vector<Refusal>> Client::refusals()
{
    for (;;) {
        pollfd interest{socket_.get(), POLLIN, 0};
        if (::poll(&interest, 1, 0) != 1)
            return std::exchange(waiting_, {});
        auto datagram = receive_by(std::chrono::steady_clock::now() + deadline_, socket_.get(), peer);
        // What it told before it ended is delivered first; the next call tells that it is gone.
        if (!datagram && !waiting_.empty())
            return std::exchange(waiting_, {});
        if (!datagram)
            return datagram.error();
        auto decoded = decode(datagram->bytes);
        if (!decoded)
            return bad_frame(decoded.error());
        // Anything else is the late reply to a request that this side has given up.
        if (auto* refusal = std::get_if<Refusal>(&decoded->message))
            waiting_.push_back(std::move(*refusal));
    }
}

} // namespace aduana::proxy::control
