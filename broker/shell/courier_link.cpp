// SPDX-License-Identifier: Apache-2.0
// Frames to the courier and back; a courier that breaks the rules or ends is not talked to again.
#include "broker/shell/courier_link.hpp"

#include "broker/shell/diagnostics.hpp"
#include "channel/datagram.hpp"

namespace aduana::broker {
namespace {

constexpr const char* no_courier = "the process that asks issuers has ended";

} // namespace

pollfd CourierLink::interest() const
{
    const auto events = static_cast<short>(outbox_.empty() ? POLLIN : POLLIN | POLLOUT);
    return {socket_.get(), events, 0};
}

void CourierLink::send(Errand errand)
{
    auto frame = encode_call(errand.call, errand.id);
    if (!socket_ || frame.frame().empty()) {
        back_.push_back({errand.id, Undelivered{socket_ ? "the call to the issuer is too long" : no_courier}});
        return;
    }
    out_.push_back(errand.id);
    outbox_.push_back(std::move(frame));
    flush();
}

std::vector<CarriedFrame> CourierLink::take_turn(short ready)
{
    if (socket_ && ready != 0) {
        flush();
        auto received = receive_datagram(socket_.get());
        if (!received || received->state == ReceiveState::closed) {
            lose();
        } else if (received->state == ReceiveState::received) {
            auto decoded = decode_carried(received->datagram.bytes);
            wipe(received->datagram.bytes);
            const bool expected = decoded && std::erase(out_, decoded->request) == 1;
            if (expected)
                back_.push_back(std::move(*decoded));
            else
                lose();
        }
    }
    return std::exchange(back_, {});
}

void CourierLink::flush()
{
    pollfd room{socket_.get(), POLLOUT, 0};
    while (socket_ && !outbox_.empty() && ::poll(&room, 1, 0) == 1) {
        if (!send_datagram(socket_.get(), outbox_.front().frame(), {})) {
            lose();
            return;
        }
        outbox_.pop_front();
    }
}

void CourierLink::lose()
{
    complain({no_courier, "credentials that have to be fetched are refused from here on; start the task again"});
    socket_.reset();
    outbox_.clear();
    for (const auto id : std::exchange(out_, {}))
        back_.push_back({id, Undelivered{no_courier}});
}

} // namespace aduana::broker
