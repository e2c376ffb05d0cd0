// SPDX-License-Identifier: Apache-2.0
// One request at a time; refusals that the proxy tells in between are kept.
#include "proxy/control/client.hpp"

#include "proxy/control/codec.hpp"

#include <poll.h>

namespace aduana::proxy::control {
namespace {

constexpr std::string_view peer = "aduana-proxy";
constexpr std::uint64_t unasked = 0;
constexpr std::string_view too_long = "shorten the operator's list of fixed hosts";

} // namespace

Client::Client(UniqueFd socket, std::chrono::milliseconds deadline) : dialogue_(std::move(socket), peer, deadline) {}

Result<TaskOpened> Client::open(const TaskOpen& request, const std::vector<int>& descriptors)
{
    return exchange<TaskOpened>(encode_open(request, dialogue_.next_request()), descriptors);
}

Result<TaskStopped> Client::stop(const TaskStop& request)
{
    return exchange<TaskStopped>(encode(request, dialogue_.next_request()), {});
}

Result<TaskClosed> Client::close(const TaskClose& request)
{
    return exchange<TaskClosed>(encode(request, dialogue_.next_request()), {});
}

Result<Ok> Client::note(const Note& note)
{
    return dialogue_.tell(encode(note, dialogue_.next_request()));
}

template <class T>
Result<T> Client::exchange(const wire::Writer& request, const std::vector<int>& descriptors)
{
    const auto reply =
        dialogue_.ask(request, descriptors, too_long, [this](const Datagram& datagram) { return keep(datagram); });
    if (!reply)
        return reply.error();
    auto decoded = decode(reply->bytes);
    if (!decoded)
        return dialogue_.bad_frame(decoded.error());
    if (auto* wanted = std::get_if<T>(&decoded->message))
        return std::move(*wanted);
    if (const auto* failed = std::get_if<Failed>(&decoded->message))
        return Error{failed->message, failed->remedy};
    return dialogue_.unexpected(name_of(type_of(decoded->message)));
}

Result<Ok> Client::keep(const Datagram& datagram)
{
    auto decoded = decode(datagram.bytes);
    if (!decoded)
        return dialogue_.bad_frame(decoded.error());
    if (auto* refusal = std::get_if<Refusal>(&decoded->message))
        waiting_.push_back(std::move(*refusal));
    else if (decoded->request == unasked)
        return Error{"aduana-proxy answered a request that was never sent"};
    return Ok{};
}

Result<std::vector<Refusal>> Client::refusals()
{
    for (;;) {
        pollfd interest{dialogue_.fd(), POLLIN, 0};
        if (::poll(&interest, 1, 0) != 1)
            return std::exchange(waiting_, {});
        const auto datagram = dialogue_.hear();
        // What it told before it ended is delivered first; the next call tells that it is gone.
        if (!datagram && !waiting_.empty())
            return std::exchange(waiting_, {});
        if (!datagram)
            return datagram.error();
        // Anything else is the late reply to a request that this side has given up.
        if (const auto kept = keep(*datagram); !kept)
            return kept.error();
    }
}

} // namespace aduana::proxy::control
