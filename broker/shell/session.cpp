// SPDX-License-Identifier: Apache-2.0
// One message at a time, and its reply before the next.
#include "broker/shell/session.hpp"

#include "broker/protocol/codec.hpp"
#include "broker/shell/diagnostics.hpp"
#include "broker/shell/material.hpp"

namespace aduana::broker {
namespace {

bool has_room(int socket)
{
    pollfd interest{socket, POLLOUT, 0};
    return ::poll(&interest, 1, 0) == 1;
}

Result<Ok> send(int socket, const Message& reply, std::uint64_t request)
{
    const auto frame = encode(reply, request);
    if (!frame.frame().empty())
        return send_datagram(socket, frame.frame(), {});
    const auto too_long = encode(Refused{RefusalCode::bad_request, "the reply does not fit into one message"}, request);
    return send_datagram(socket, too_long.frame(), {});
}

} // namespace

Session::Session(Sockets sockets, const Random& random)
    : control_{std::move(sockets.control), Peer::control}, proxy_{std::move(sockets.proxy), Peer::proxy},
      broker_(random)
{
}

std::array<pollfd, 2> Session::interests() const
{
    // poll(2) skips a descriptor of -1: a proxy that is gone.
    return {pollfd{control_.socket.get(), control_.events(), 0}, pollfd{proxy_.socket.get(), proxy_.events(), 0}};
}

Result<Ok> Session::take_turns(const std::array<pollfd, 2>& ready)
{
    const auto control = ready[0].revents != 0 ? take_turn(control_) : Result<Turn>(Turn::done);
    if (!control || *control == Turn::closed) {
        control_.socket.reset();
        return control ? Result<Ok>(Ok{}) : control.error();
    }
    const auto proxy = ready[1].revents != 0 ? take_turn(proxy_) : Result<Turn>(Turn::done);
    if (!proxy)
        complain({proxy.error().message, "its socket is closed: the task gets no more credentials"});
    if (!proxy || *proxy == Turn::closed)
        proxy_.socket.reset();
    return Ok{};
}

short Session::Channel::events() const noexcept
{
    return waits_for_room ? POLLOUT : POLLIN;
}

Result<Session::Turn> Session::take_turn(Channel& channel)
{
    // Room first: once a message has been handled, its reply must be sent.
    channel.waits_for_room = !has_room(channel.socket.get());
    if (channel.waits_for_room)
        return Turn::done;
    auto received = receive_datagram(channel.socket.get());
    if (!received)
        return received.error();
    if (received->state == ReceiveState::closed)
        return Turn::closed;
    if (received->state == ReceiveState::would_block)
        return Turn::done;
    if (const auto answered = answer(channel, std::move(received->datagram)); !answered)
        return answered.error();
    return Turn::done;
}

Result<Ok> Session::answer(Channel& channel, Datagram datagram)
{
    const auto decoded = decode(datagram.bytes);
    wipe(datagram.bytes);
    if (!decoded)
        return Error{"the " + std::string(name_of(channel.peer)) +
                     " peer sent a bad frame: " + decoded.error().message};

    // Only descriptors of the peer that may open tasks are ever read.
    const auto* opening = channel.peer == Peer::control ? std::get_if<TaskOpen>(&decoded->message) : nullptr;
    if (opening == nullptr && !datagram.descriptors.empty())
        return Error{"the " + std::string(name_of(channel.peer)) + " peer sent descriptors with " +
                     std::string(name_of(type_of(decoded->message)))};
    auto material = opening != nullptr ? read_material(*opening, datagram.descriptors) : Material{};
    if (!material)
        return send(channel.socket.get(), Refused{RefusalCode::invalid_file, describe(material.error())},
                    decoded->request);

    const auto outcome = broker_.handle(decoded->message, channel.peer, std::chrono::steady_clock::now(), *material);
    if (outcome.breach)
        return *outcome.breach;
    if (!outcome.reply)
        return Ok{};
    return send(channel.socket.get(), *outcome.reply, decoded->request);
}

} // namespace aduana::broker
