// SPDX-License-Identifier: Apache-2.0
// The fields of each message, in declared order: one `put` and one `take` for each struct.
#include "proxy/control/codec.hpp"

#include "policy/base/decode.hpp"
#include "policy/base/encode.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <type_traits>

namespace aduana::proxy::control {
namespace {

using wire::Fields;
using wire::Writer;

constexpr std::size_t max_name = 4096;
constexpr std::size_t max_text = 64 * 1024;
constexpr std::size_t max_hash = 128;
constexpr std::size_t seed_size = 32;
constexpr std::uint32_t max_hosts = 1024;
constexpr std::uint32_t max_addresses = 64;
constexpr std::uint32_t max_limits = 64;
constexpr std::uint32_t max_credentials = 1024;
constexpr std::uint32_t max_metadata = 4;
constexpr std::uint32_t key_values = 3;
// A service, a count and two length prefixes.
constexpr std::size_t min_metadata = sizeof(std::uint8_t) + 3 * sizeof(std::uint32_t);
// Two length prefixes, or a length prefix and a count.
constexpr std::size_t min_pair = 2 * sizeof(std::uint32_t);
constexpr std::size_t min_triple = 3 * sizeof(std::uint32_t);
// Three strings, a port and three counters.
constexpr std::size_t min_destination = 4 * sizeof(std::uint32_t) + 3 * sizeof(std::uint64_t);
// Of `reached` and of `refused`: both, and what else TaskClosed holds, fit into one frame.
constexpr std::size_t max_destination_bytes = 100 * 1024;

template <MessageType type, class T>
constexpr bool matches = std::is_same_v<std::variant_alternative_t<static_cast<std::size_t>(type) - 1, Message>, T>;
static_assert(matches<MessageType::task_open, TaskOpen> && matches<MessageType::task_opened, TaskOpened> &&
              matches<MessageType::note, Note> && matches<MessageType::task_close, TaskClose> &&
              matches<MessageType::task_closed, TaskClosed> && matches<MessageType::refusal, Refusal> &&
              matches<MessageType::failed, Failed> && matches<MessageType::task_stop, TaskStop> &&
              matches<MessageType::task_stopped, TaskStopped>);

constexpr std::array<std::string_view, std::variant_size_v<Message>> names = {
    "TaskOpen", "TaskOpened", "Note", "TaskClose", "TaskClosed", "Refusal", "Failed", "TaskStop", "TaskStopped"};

void put(Writer& out, const TaskOpen& message)
{
    out.bytes(message.task).bytes(message.policy_file).bytes(message.broker_handle);
    out.u32(static_cast<std::uint32_t>(message.listeners.size()));
    for (const auto kind : message.listeners)
        out.u8(static_cast<std::uint8_t>(kind));
    out.bytes(message.journal_key_seed).u64(message.journal_seq).bytes(message.journal_hash);
    out.boolean(message.durable_to_power_loss).boolean(message.with_broker);
    out.u32(static_cast<std::uint32_t>(message.hosts.size()));
    for (const auto& [host, addresses] : message.hosts)
        out.bytes(host).list(addresses);
    out.list(message.nameservers);
    out.bytes(message.parent.host).u32(message.parent.port).bytes(message.parent.credential);
    out.list(message.parent.except);
    out.u32(static_cast<std::uint32_t>(message.placeholders.size()));
    for (const auto& placeholder : message.placeholders)
        out.bytes(placeholder.credential)
            .bytes(placeholder.value)
            .boolean(placeholder.passes_in_head)
            .boolean(placeholder.passes_in_body);
    out.u32(static_cast<std::uint32_t>(message.metadata.size()));
    for (const auto& [service, values, region, token] : message.metadata)
        out.u8(static_cast<std::uint8_t>(service)).list(values).bytes(region).bytes(token);
}

std::vector<ListenerKind> take_listeners(Fields& in)
{
    constexpr auto first = static_cast<std::uint8_t>(ListenerKind::proxy);
    constexpr auto last = static_cast<std::uint8_t>(ListenerKind::forward);
    std::vector<ListenerKind> listeners;
    const auto count = in.count("listeners", 1, max_listeners);
    for (std::uint32_t i = 0; i < count; ++i)
        listeners.push_back(static_cast<ListenerKind>(in.u8("listeners", first, last)));
    return listeners;
}

/// Each service has as many values as it answers, so that nobody has to count them again.
Metadata take_metadata(Fields& in)
{
    using policy::MetadataService;
    constexpr auto first = static_cast<std::uint8_t>(MetadataService::ecs);
    constexpr auto last = static_cast<std::uint8_t>(MetadataService::azure);
    Metadata metadata;
    metadata.service = static_cast<MetadataService>(in.u8("metadata", first, last));
    metadata.values = in.list("metadata", key_values, max_name);
    metadata.region = in.text("metadata", max_name);
    metadata.token = in.text("metadata", max_hash);
    const bool with_key = hands_out_key(metadata.service);
    if (metadata.values.size() != (with_key ? key_values : 1) || metadata.token.empty() == with_key)
        in.refuse("metadata");
    return metadata;
}

TaskOpen take_task_open(Fields& in)
{
    TaskOpen message;
    message.task = in.text("task", max_name);
    message.policy_file = in.text("policy_file", max_name);
    message.broker_handle = in.text("broker_handle", max_hash);
    message.listeners = take_listeners(in);
    message.journal_key_seed = in.text("journal_key_seed", seed_size);
    if (message.journal_key_seed.size() != seed_size)
        in.refuse("journal_key_seed");
    message.journal_seq = in.u64("journal_seq");
    message.journal_hash = in.text("journal_hash", max_hash);
    message.durable_to_power_loss = in.boolean("durable_to_power_loss");
    message.with_broker = in.boolean("with_broker");
    const auto hosts = in.count("hosts", min_pair, max_hosts);
    for (std::uint32_t i = 0; i < hosts; ++i) {
        auto host = in.text("hosts", max_name);
        message.hosts.emplace_back(std::move(host), in.list("hosts", max_addresses, max_name));
    }
    message.nameservers = in.list("nameservers", max_addresses, max_name);
    message.parent.host = in.text("parent", max_name);
    message.parent.port = in.u16("parent");
    message.parent.credential = in.text("parent", max_name);
    message.parent.except = in.list("parent", max_hosts, max_name);
    const auto placeholders = in.count("placeholders", min_pair, max_credentials);
    for (std::uint32_t i = 0; i < placeholders; ++i) {
        control::Placeholder placeholder;
        placeholder.credential = in.text("placeholders", max_name);
        placeholder.value = in.text("placeholders", max_name);
        placeholder.passes_in_head = in.boolean("placeholders");
        placeholder.passes_in_body = in.boolean("placeholders");
        message.placeholders.push_back(std::move(placeholder));
    }
    const auto metadata = in.count("metadata", min_metadata, max_metadata);
    for (std::uint32_t i = 0; i < metadata; ++i)
        message.metadata.push_back(take_metadata(in));
    return message;
}

void put(Writer& out, const TaskOpened& message)
{
    out.bytes(message.ca_certificate);
}

TaskOpened take_task_opened(Fields& in)
{
    return {in.text("ca_certificate", max_text)};
}

void put(Writer& out, const Note& message)
{
    out.bytes(message.task).bytes(message.limit).bytes(message.detail);
}

Note take_note(Fields& in)
{
    Note message;
    message.task = in.text("task", max_name);
    message.limit = in.text("limit", max_name);
    message.detail = in.text("detail", max_text);
    return message;
}

void put(Writer& out, const TaskClose& message)
{
    out.bytes(message.task).u32(static_cast<std::uint32_t>(message.exit_status));
    out.bytes(message.cause).list(message.limits_hit);
    const std::span revoked(message.revoked.data(), std::min<std::size_t>(message.revoked.size(), max_revoked));
    out.u32(static_cast<std::uint32_t>(revoked.size()));
    for (const auto& lease : revoked)
        out.bytes(lease.lease).bytes(lease.credential).bytes(lease.why);
}

TaskClose take_task_close(Fields& in)
{
    TaskClose message;
    message.task = in.text("task", max_name);
    // Two's complement on the wire: converting it back is exact for every value.
    message.exit_status = static_cast<int>(in.u32("exit_status"));
    message.cause = in.text("cause", max_text);
    message.limits_hit = in.list("limits_hit", max_limits, max_name);
    const auto revoked = in.count("revoked", min_triple, max_revoked);
    message.revoked.reserve(revoked);
    for (std::uint32_t i = 0; i < revoked; ++i) {
        auto lease = in.text("revoked", max_hash);
        auto credential = in.text("revoked", max_name);
        message.revoked.push_back({std::move(lease), std::move(credential), in.text("revoked", max_name)});
    }
    return message;
}

void put(Writer& out, const TaskStop& message)
{
    out.bytes(message.task);
}

TaskStop take_task_stop(Fields& in)
{
    return {in.text("task", max_name)};
}

void put(Writer&, const TaskStopped&) {}

// How many of the destinations go into one message. The sandbox chooses the names that were refused: a thousand long
// ones would not fit into a frame, and then the task would end without its totals.
std::size_t fitting(const std::vector<Destination>& destinations)
{
    std::size_t size = 0;
    std::size_t count = 0;
    for (const auto& destination : destinations) {
        size += min_destination + destination.host.size() + destination.scheme.size() + destination.reason.size();
        if (size > max_destination_bytes || count == max_destinations)
            break;
        ++count;
    }
    return count;
}

void put(Writer& out, const std::vector<Destination>& all)
{
    const std::span destinations(all.data(), fitting(all));
    out.u32(static_cast<std::uint32_t>(destinations.size()));
    for (const auto& destination : destinations) {
        out.bytes(destination.host).u32(destination.port).bytes(destination.scheme).bytes(destination.reason);
        out.u64(destination.requests).u64(destination.bytes_up).u64(destination.bytes_down);
    }
}

std::vector<Destination> take_destinations(Fields& in, std::string_view field)
{
    std::vector<Destination> destinations;
    const auto count = in.count(field, min_destination, max_destinations);
    destinations.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        Destination destination;
        destination.host = in.text(field, max_name);
        destination.port = in.u16(field);
        destination.scheme = in.text(field, max_name);
        destination.reason = in.text(field, max_name);
        destination.requests = in.u64(field);
        destination.bytes_up = in.u64(field);
        destination.bytes_down = in.u64(field);
        destinations.push_back(std::move(destination));
    }
    return destinations;
}

void put(Writer& out, const TaskClosed& message)
{
    put(out, message.reached);
    put(out, message.refused);
    out.list(message.credentials).u64(message.journal_seq).bytes(message.journal_hash);
}

TaskClosed take_task_closed(Fields& in)
{
    TaskClosed message;
    message.reached = take_destinations(in, "reached");
    message.refused = take_destinations(in, "refused");
    message.credentials = in.list("credentials", max_credentials, max_name);
    message.journal_seq = in.u64("journal_seq");
    message.journal_hash = in.text("journal_hash", max_hash);
    return message;
}

void put(Writer& out, const Refusal& message)
{
    out.bytes(message.task).bytes(message.line);
}

Refusal take_refusal(Fields& in)
{
    Refusal message;
    message.task = in.text("task", max_name);
    message.line = in.text("line", max_text);
    // The line goes to a terminal: no escape sequence of a hostile host name may reach it, whoever let it through.
    for (const char byte : message.line) {
        if (byte < 0x20 || byte > 0x7e)
            in.refuse("line");
    }
    return message;
}

void put(Writer& out, const Failed& message)
{
    // A broken policy can have more mistakes than fit: the first ones are told.
    out.bytes(std::string_view(message.message).substr(0, max_text));
    out.bytes(std::string_view(message.remedy).substr(0, max_text));
}

Failed take_failed(Fields& in)
{
    Failed message;
    message.message = in.text("message", max_text);
    message.remedy = in.text("remedy", max_text);
    return message;
}

Message take(MessageType type, Fields& in)
{
    switch (type) {
    case MessageType::task_open:
        return take_task_open(in);
    case MessageType::task_opened:
        return take_task_opened(in);
    case MessageType::note:
        return take_note(in);
    case MessageType::task_close:
        return take_task_close(in);
    case MessageType::task_closed:
        return take_task_closed(in);
    case MessageType::refusal:
        return take_refusal(in);
    case MessageType::failed:
        return take_failed(in);
    case MessageType::task_stop:
        return take_task_stop(in);
    case MessageType::task_stopped:
        return TaskStopped{};
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

wire::Writer encode_open(const TaskOpen& message, std::uint64_t request)
{
    Writer out(static_cast<std::uint8_t>(MessageType::task_open), request);
    put(out, message);
    return out;
}

Result<Decoded> decode(std::string_view frame)
{
    return wire::decode_frame<Decoded, MessageType>(frame, names, take);
}

} // namespace aduana::proxy::control
