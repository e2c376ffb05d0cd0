// SPDX-License-Identifier: Apache-2.0
// The fields of each message, in declared order: one `put` and one `take` for each struct.
#include "cli/serve/codec.hpp"

#include "policy/base/decode.hpp"
#include "policy/base/encode.hpp"

#include <array>

namespace aduana::serve {

namespace {

using wire::Fields;
using wire::Writer;

constexpr std::size_t max_message = 4096;
constexpr std::size_t min_row = 3 * sizeof(std::uint32_t) + sizeof(std::uint32_t) + sizeof(std::uint64_t);

constexpr std::array<std::string_view, std::variant_size_v<Message>> names = {
    "Open", "Opened", "Ended", "List", "Tasks", "Detach", "Detached", "Failed", "Locate", "Located"};

std::string_view cut(std::string_view text, std::size_t most)
{
    return text.substr(0, most);
}

void put(Writer& out, const Open& message)
{
    out.bytes(message.task)
        .bytes(cut(message.policy_file, max_text))
        .bytes(cut(message.command, max_text))
        .bytes(message.journal);
}

Open take_open(Fields& in)
{
    Open message;
    message.task = in.text("task", max_text);
    message.policy_file = in.text("policy_file", max_text);
    message.command = in.text("command", max_text);
    message.journal = in.text("journal", max_path);
    return message;
}

void put(Writer& out, const Ended& message)
{
    out.bytes(cut(message.why, max_message)).bytes(cut(message.cause, max_text));
}

Ended take_ended(Fields& in)
{
    Ended message;
    message.why = in.text("why", max_message);
    message.cause = in.text("cause", max_text);
    return message;
}

void put(Writer& out, const Tasks& message)
{
    out.u32(static_cast<std::uint32_t>(message.rows.size()));
    for (const auto& row : message.rows)
        out.bytes(row.task).u32(row.pid).u64(row.since).bytes(row.policy_file).bytes(row.command);
}

Tasks take_tasks(Fields& in)
{
    Tasks message;
    const auto count = in.count("rows", min_row, max_tasks);
    for (std::uint32_t i = 0; i < count; ++i) {
        TaskRow row;
        row.task = in.text("task", max_text);
        row.pid = in.u32("pid");
        row.since = in.u64("since");
        row.policy_file = in.text("policy_file", max_text);
        row.command = in.text("command", max_text);
        message.rows.push_back(std::move(row));
    }
    return message;
}

void put(Writer& out, const Detach& message)
{
    out.bytes(cut(message.task, max_text));
}

void put(Writer& out, const Failed& message)
{
    out.bytes(cut(message.message, max_message)).bytes(cut(message.remedy, max_message));
}

Failed take_failed(Fields& in)
{
    Failed message;
    message.message = in.text("message", max_message);
    message.remedy = in.text("remedy", max_message);
    return message;
}

void put(Writer& out, const Locate& message)
{
    out.bytes(cut(message.task, max_text));
}

void put(Writer& out, const Located& message)
{
    out.bytes(message.journal);
}

void put(Writer&, const Opened&) {}
void put(Writer&, const List&) {}
void put(Writer&, const Detached&) {}

Message take(MessageType type, Fields& in)
{
    switch (type) {
    case MessageType::open:
        return take_open(in);
    case MessageType::opened:
        return Opened{};
    case MessageType::ended:
        return take_ended(in);
    case MessageType::list:
        return List{};
    case MessageType::tasks:
        return take_tasks(in);
    case MessageType::detach:
        return Detach{in.text("task", max_text)};
    case MessageType::detached:
        return Detached{};
    case MessageType::failed:
        return take_failed(in);
    case MessageType::locate:
        return Locate{in.text("task", max_text)};
    case MessageType::located:
        return Located{in.text("journal", max_path)};
    }
    // The caller has checked the range of `type`.
    return Failed{};
}

} // namespace

MessageType type_of(const Message& message) noexcept
{
    return wire::type_in<MessageType>(message);
}

std::string_view name_of(MessageType type) noexcept
{
    return wire::name_in<MessageType>(names, type);
}

wire::Writer encode(const Message& message, std::uint64_t request)
{
    return wire::encode_frame(message, request, [](Writer& out, const auto& fields) { put(out, fields); });
}

Result<Decoded> decode(std::string_view frame)
{
    return wire::decode_frame<Decoded, MessageType>(frame, names, take);
}

} // namespace aduana::serve
