// SPDX-License-Identifier: Apache-2.0
// Frames of the broker: whatever is decoded encodes to the same bytes, and the core answers it by the rules.
#include "broker/core/broker.hpp"
#include "broker/protocol/codec.hpp"

#include <algorithm>
#include <cstdlib>

using namespace aduana;

namespace {

void require(bool holds)
{
    if (!holds)
        std::abort();
}

void check_outcome(const broker::Message& message, broker::Peer peer)
{
    broker::Broker core([](std::span<std::uint8_t> bytes) { std::ranges::fill(bytes, std::uint8_t{1}); });
    const auto outcome = core.handle(message, {peer}, {});
    const bool allowed = broker::permitted(broker::type_of(message), peer, broker::Phase::fresh);
    require(outcome.breach.has_value() != allowed);
    // Without files nothing can be opened, and a reply always fits into a frame.
    for (const auto& reply : outcome.replies)
        require(std::holds_alternative<broker::Refused>(reply.message) &&
                !broker::encode(reply.message, 1).frame().empty());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view frame(reinterpret_cast<const char*>(data), size);
    const auto decoded = broker::decode(frame);
    if (!decoded) {
        require(!decoded.error().message.empty());
        return 0;
    }
    const auto again = broker::encode(decoded->message, decoded->request);
    require(again.frame() == frame);
    require(broker::decode(again.frame()).has_value());
    check_outcome(decoded->message, broker::Peer::control);
    check_outcome(decoded->message, broker::Peer::proxy);
    return 0;
}
