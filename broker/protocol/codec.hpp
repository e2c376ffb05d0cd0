// SPDX-License-Identifier: Apache-2.0
// Messages of the broker's sockets to frames and back (policy/base/wire).
#pragma once

#include "broker/protocol/messages.hpp"
#include "policy/base/wire.hpp"

namespace aduana::broker {

/// Longest `Refused::detail`, in bytes: room for the located errors of a whole file.
inline constexpr std::size_t max_detail = 64 * 1024;
/// Longest value of an `env:` source on its way in, and of a header field on its way out, in bytes.
inline constexpr std::size_t max_value = 64 * 1024;
/// Most placeholders of one task; most leases in one TaskClosed, and most credentials in a list of it.
inline constexpr std::uint32_t max_placeholders = 1024;
inline constexpr std::uint32_t max_revoked = 2048;
inline constexpr std::uint32_t max_unrevoked = 8192;
/// Most ledgers of earlier tasks that come with a TaskOpen.
inline constexpr std::uint32_t max_old_ledgers = 16;
/// Most captures of one lease; most members, and hosts, of one of them.
inline constexpr std::uint32_t max_captures = 16;
inline constexpr std::uint32_t max_captured = 32;

[[nodiscard]] MessageType type_of(const Message& message) noexcept;
/// As in the comment of messages.hpp ("TaskOpen").
[[nodiscard]] std::string_view name_of(MessageType type) noexcept;

/// The frame's buffer is wiped when the Writer ends: some messages carry secrets. The frame is empty if the message
/// does not fit into one; a longer `Refused::detail` is cut, and so is a longer `TaskClosed::revoked`.
[[nodiscard]] wire::Writer encode(const Message& message, std::uint64_t request);
/// The same for a request that its owner keeps: a Message would have to own the secrets.
[[nodiscard]] wire::Writer encode_open(const TaskOpen& message, std::uint64_t request);

struct Decoded {
    std::uint64_t request = 0;
    Message message;
};
/// `frame` is wiped by its owner. Errors name the message and the field.
[[nodiscard]] Result<Decoded> decode(std::string_view frame);

} // namespace aduana::broker
