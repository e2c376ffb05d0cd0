// SPDX-License-Identifier: Apache-2.0
// Messages of the janitor to frames and back.
#include "sandbox-shim/janitor/message.hpp"

#include "policy/base/fields.hpp"

namespace aduana::shim {

namespace {

enum class Type : std::uint8_t { watch = 1, remove_cgroup = 2, remove_path = 3, keep_journal = 4, finish = 5 };

constexpr std::uint32_t max_list = 64;
constexpr std::size_t max_text = 4096;

wire::Writer writer(Type type)
{
    return wire::Writer(static_cast<std::uint8_t>(type), 0);
}

wire::Writer encoded(const Watch& message)
{
    wire::Writer frame = writer(Type::watch);
    frame.u8(static_cast<std::uint8_t>(message.role));
    return frame;
}

wire::Writer encoded(const Undo& message)
{
    if (const auto* cgroup = std::get_if<RemoveCgroup>(&message)) {
        wire::Writer frame = writer(Type::remove_cgroup);
        frame.list(cgroup->folders);
        return frame;
    }
    wire::Writer frame = writer(Type::remove_path);
    frame.bytes(std::get<RemovePath>(message).path);
    return frame;
}

wire::Writer encoded(const KeepJournal& message)
{
    wire::Writer frame = writer(Type::keep_journal);
    frame.bytes(message.task).bytes(message.key_seed);
    return frame;
}

wire::Writer encoded(const Finish& message)
{
    wire::Writer frame = writer(Type::finish);
    frame.boolean(message.mend.has_value());
    if (message.mend)
        frame.u32(static_cast<std::uint32_t>(message.mend->exit_status))
            .bytes(message.mend->cause)
            .list(message.mend->limits_hit)
            .u64(message.mend->requests);
    return frame;
}

Finish read_finish(wire::Fields& fields)
{
    Finish finish;
    if (!fields.boolean("mend"))
        return finish;
    audit::TaskEnd end;
    end.exit_status = static_cast<int>(fields.u32("exit status"));
    end.cause = fields.text("cause", max_text);
    end.limits_hit = fields.list("limits hit", max_list, max_text);
    end.requests = fields.u64("requests");
    finish.mend = std::move(end);
    return finish;
}

JanitorMessage read_body(Type type, wire::Fields& fields)
{
    switch (type) {
    case Type::watch:
        return Watch{static_cast<Janitor::Role>(fields.u8("role", 0, 2))};
    case Type::remove_cgroup:
        return Undo(RemoveCgroup{fields.list("folders", max_list, max_text)});
    case Type::remove_path:
        return Undo(RemovePath{fields.text("path", max_text)});
    case Type::keep_journal: {
        KeepJournal keep;
        keep.task = fields.text("task", max_text);
        keep.key_seed = fields.text("key seed", 32);
        return keep;
    }
    case Type::finish:
        return read_finish(fields);
    }
    fields.refuse("type");
    return Finish{};
}

} // namespace

wire::Writer encode(const JanitorMessage& message)
{
    return std::visit([](const auto& body) { return encoded(body); }, message);
}

Result<JanitorMessage> decode(std::string_view frame)
{
    wire::Reader reader(frame);
    wire::Fields fields(reader, "janitor message");
    JanitorMessage message = read_body(static_cast<Type>(reader.header().type), fields);
    if (auto whole = fields.finish(); !whole)
        return whole.error();
    return message;
}

} // namespace aduana::shim
