// SPDX-License-Identifier: Apache-2.0
// What every encoder of a socket's messages does around the fields of one message.
#pragma once

#include "policy/base/wire.hpp"

#include <span>
#include <string_view>
#include <variant>

namespace aduana::wire {

/// `Message` is a variant in the order of `MessageType`, which starts at 1.
template <class MessageType, class Message>
[[nodiscard]] MessageType type_in(const Message& message) noexcept
{
    return static_cast<MessageType>(message.index() + 1);
}

/// `names` are in the order of `MessageType`.
template <class MessageType>
[[nodiscard]] std::string_view name_in(std::span<const std::string_view> names, MessageType type) noexcept
{
    const auto index = static_cast<std::size_t>(type) - 1;
    return index < names.size() ? names[index] : "unknown";
}

/// `put(writer, fields)` writes the fields of one message. The frame is empty if they do not fit.
template <class Message, class Put>
[[nodiscard]] Writer encode_frame(const Message& message, std::uint64_t request, Put put)
{
    Writer out(static_cast<std::uint8_t>(message.index() + 1), request);
    std::visit([&](const auto& fields) { put(out, fields); }, message);
    return out;
}

} // namespace aduana::wire
