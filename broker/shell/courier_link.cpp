// SPDX-License-Identifier: Apache-2.0
// Frames there and back; a process that breaks the rules or ends is not talked to again.
#include "broker/shell/courier_link.hpp"

#include "broker/shell/diagnostics.hpp"
#include "channel/datagram.hpp"

namespace aduana::broker {
namespace {

wire::Writer frame_of(const Errand& errand)
{
    const auto* call = std::get_if<Call>(&errand.call);
    if (call == nullptr)
        return encode_run(std::get<Run>(errand.call), errand.id);
    return encode_call(*call, errand.id, errand.keep ? &errand.keep->order : nullptr);
}

} // namespace

pollfd CourierLink::interest() const
{
    const auto events = static_cast<short>(outbox_.empty() ? POLLIN : POLLIN | POLLOUT);
    return {socket_.get(), events, 0};
}

void CourierLink::send(Errand errand)
{
    auto frame = frame_of(errand);
    if (!socket_ || frame.frame().empty()) {
        back_.push_back({errand.id, Undelivered{socket_ ? "the call to the issuer is too long" : gone()}});
        return;
    }
    out_.push_back(errand.id);
    outbox_.push_back({std::move(frame), errand.keep ? std::move(errand.keep->file) : UniqueFd()});
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
        const auto& [frame, file] = outbox_.front();
        if (!send_datagram(socket_.get(), frame.frame(), file ? std::vector{file.get()} : std::vector<int>())) {
            lose();
            return;
        }
        outbox_.pop_front();
    }
}

void CourierLink::lose()
{
    complain({gone(), "credentials that have to be fetched are refused from here on; start the task again"});
    socket_.reset();
    outbox_.clear();
    for (const auto id : std::exchange(out_, {}))
        back_.push_back({id, Undelivered{gone()}});
}

std::string CourierLink::gone() const
{
    return std::string("the process that ") + peer_ + " has ended";
}

} // namespace aduana::broker
