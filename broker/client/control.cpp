// SPDX-License-Identifier: Apache-2.0
// Questions to the broker, and what its answers mean.
#include "broker/client/control.hpp"

#include "broker/protocol/codec.hpp"

namespace aduana::broker {
namespace {

constexpr std::string_view peer = "aduana-broker";
constexpr std::string_view too_long = "shorten the environment variables that credentials come from";

} // namespace

ControlClient::ControlClient(UniqueFd socket, std::chrono::milliseconds deadline)
    : dialogue_(std::move(socket), peer, deadline)
{
}

Result<TaskOpened> ControlClient::open(const TaskOpen& request, const std::vector<int>& descriptors)
{
    return exchange<TaskOpened>(encode_open(request, dialogue_.next_request()), descriptors);
}

Result<TaskClosed> ControlClient::close(const TaskClose& request)
{
    return exchange<TaskClosed>(encode(Message(request), dialogue_.next_request()), {});
}

template <class T>
Result<T> ControlClient::exchange(const wire::Writer& request, const std::vector<int>& descriptors)
{
    auto reply = dialogue_.ask(request, descriptors, too_long, {});
    if (!reply)
        return reply.error();
    auto decoded = decode(reply->bytes);
    wipe(reply->bytes);
    if (!decoded)
        return dialogue_.bad_frame(decoded.error());
    if (auto* wanted = std::get_if<T>(&decoded->message))
        return std::move(*wanted);
    if (const auto* refused = std::get_if<Refused>(&decoded->message))
        return Error{refused->detail};
    return dialogue_.unexpected(name_of(type_of(decoded->message)));
}

} // namespace aduana::broker
