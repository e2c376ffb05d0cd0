// SPDX-License-Identifier: Apache-2.0
// One message at a time, and the replies that are ready before the next.
#include "broker/shell/session.hpp"

#include "broker/protocol/codec.hpp"
#include "broker/shell/diagnostics.hpp"
#include "broker/shell/material.hpp"

namespace aduana::broker {
namespace {

constexpr unsigned number_shift = 32;

bool has_room(int socket)
{
    pollfd interest{socket, POLLOUT, 0};
    return ::poll(&interest, 1, 0) == 1;
}

wire::Writer frame_of(const Message& reply, std::uint64_t request)
{
    auto frame = encode(reply, request);
    if (!frame.frame().empty())
        return frame;
    return encode(Refused{RefusalCode::bad_request, "the reply does not fit into one message"}, request);
}

Moment now()
{
    return {std::chrono::steady_clock::now(), std::chrono::system_clock::now()};
}

} // namespace

Session::Session(Sockets sockets, const Random& random, std::uint64_t first_errand)
    : control_{std::move(sockets.control), Peer::control}, proxy_{std::move(sockets.proxy), Peer::proxy},
      broker_(random, first_errand), number_(static_cast<std::uint32_t>(first_errand >> number_shift))
{
}

std::array<pollfd, 2> Session::interests() const
{
    // poll(2) skips a descriptor of -1: a peer that is gone.
    return {pollfd{control_.socket.get(), control_.events(), 0}, pollfd{proxy_.socket.get(), proxy_.events(), 0}};
}

Result<Ok> Session::take_turns(const std::array<pollfd, 2>& ready)
{
    const auto control = take_turn(control_, ready[0].revents);
    if (!control || *control == Turn::closed) {
        control_.socket.reset();
        proxy_.socket.reset();
        dispatch(broker_.abandon(now()));
        return control ? Result<Ok>(Ok{}) : control.error();
    }
    const auto proxy = take_turn(proxy_, ready[1].revents);
    if (!proxy)
        end_proxy(proxy.error());
    else if (*proxy == Turn::closed)
        proxy_.socket.reset();
    return Ok{};
}

void Session::end_proxy(const Error& error)
{
    complain({error.message, "its socket is closed: the task gets no more credentials"});
    proxy_.socket.reset();
}

bool Session::returned(std::uint64_t errand, const Carried& carried)
{
    if (errand >> number_shift != number_)
        return false;
    dispatch(broker_.returned(errand, carried, now()));
    return true;
}

void Session::tick()
{
    dispatch(broker_.tick(now()));
}

short Session::Channel::events() const noexcept
{
    return outbox.empty() ? POLLIN : POLLOUT;
}

Result<Session::Turn> Session::take_turn(Channel& channel, short ready)
{
    if (ready == 0 || !channel.socket)
        return Turn::done;
    if (const auto flushed = flush(channel); !flushed)
        return flushed.error();
    // Room first: once a message has been handled, its reply must be sent.
    if (!channel.outbox.empty())
        return Turn::done;
    auto received = receive_datagram(channel.socket.get());
    if (!received)
        return received.error();
    if (received->state == ReceiveState::closed)
        return Turn::closed;
    if (received->state == ReceiveState::would_block)
        return Turn::done;
    if (const auto handled = handle(channel, std::move(received->datagram)); !handled)
        return handled.error();
    return Turn::done;
}

Result<Ok> Session::handle(Channel& channel, Datagram datagram)
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
    if (!material) {
        channel.outbox.push_back(
            frame_of(Refused{RefusalCode::invalid_file, describe(material.error())}, decoded->request));
        return flush(channel);
    }
    auto outcome = broker_.handle(decoded->message, {channel.peer, decoded->request}, now(), *material);
    if (outcome.breach)
        return *outcome.breach;
    dispatch(std::move(outcome));
    return Ok{};
}

void Session::dispatch(Outcome outcome)
{
    for (auto& errand : outcome.errands)
        errands_.push_back(std::move(errand));
    for (const auto& reply : outcome.replies) {
        auto& channel = reply.to.peer == Peer::control ? control_ : proxy_;
        if (channel.socket)
            channel.outbox.push_back(frame_of(reply.message, reply.to.request));
    }
    // A control peer that cannot be written to is found gone when it is read from next.
    (void)flush(control_);
    if (const auto flushed = flush(proxy_); !flushed)
        end_proxy(flushed.error());
}

Result<Ok> Session::flush(Channel& channel)
{
    while (channel.socket && !channel.outbox.empty() && has_room(channel.socket.get())) {
        if (const auto sent = send_datagram(channel.socket.get(), channel.outbox.front().frame(), {}); !sent)
            return sent.error();
        channel.outbox.pop_front();
    }
    return Ok{};
}

} // namespace aduana::broker
