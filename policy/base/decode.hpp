// SPDX-License-Identifier: Apache-2.0
// What every decoder of a socket's messages does around the fields of one message.
#pragma once

#include "policy/base/fields.hpp"

#include <span>
#include <string>
#include <string_view>

namespace aduana::wire {

/// `Decoded` is {request id, message}; `names` are the messages' names in the order of `MessageType`, which starts at
/// 1; `take(type, fields)` reads the fields of one message.
template <class Decoded, class MessageType, class Take>
[[nodiscard]] Result<Decoded> decode_frame(std::string_view frame, std::span<const std::string_view> names, Take take)
{
    Reader reader(frame);
    const auto header = reader.header();
    if (reader.failed())
        return Error{"frame without a valid header"};
    if (header.type < 1 || header.type > names.size())
        return Error{"message of unknown type " + std::to_string(header.type)};
    Fields in(reader, names[header.type - 1U]);
    Decoded decoded{header.request, take(static_cast<MessageType>(header.type), in)};
    if (const auto finished = in.finish(); !finished)
        return finished.error();
    return decoded;
}

} // namespace aduana::wire
