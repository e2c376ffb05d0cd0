// SPDX-License-Identifier: Apache-2.0
// The table of permits, written out a second time: every message x peer x phase.
#include "broker/core/permits.hpp"

#include "broker/protocol/codec.hpp"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

namespace aduana::broker {
namespace {

using Combination = std::tuple<MessageType, Peer, Phase>;

TEST(Permits, OnlyTheseCombinationsArePermitted)
{
    const std::set<Combination> expected = {
        {MessageType::task_open, Peer::control, Phase::fresh},
        {MessageType::task_open, Peer::control, Phase::serving},
        {MessageType::task_close, Peer::control, Phase::serving},
        {MessageType::acquire, Peer::proxy, Phase::serving},
        {MessageType::release, Peer::proxy, Phase::serving},
        {MessageType::sign, Peer::proxy, Phase::serving},
    };
    // The first and the last are no types: they must not be permitted by accident either.
    for (unsigned type = 0; type <= std::variant_size_v<Message> + 1; ++type) {
        for (const auto peer : {Peer::control, Peer::proxy}) {
            for (const auto phase : {Phase::fresh, Phase::serving}) {
                const auto message = static_cast<MessageType>(type);
                SCOPED_TRACE(std::string(name_of(message)) + " from " + std::string(name_of(peer)) + " in phase " +
                             std::to_string(static_cast<int>(phase)));
                EXPECT_EQ(permitted(message, peer, phase), expected.contains({message, peer, phase}));
            }
        }
    }
}

} // namespace
} // namespace aduana::broker
