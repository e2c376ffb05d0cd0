// SPDX-License-Identifier: Apache-2.0
// The fields of each message, in declared order: one `put` and one `take` for each struct.
#include "broker/protocol/codec.hpp"

#include "channel/datagram.hpp"
#include "policy/base/decode.hpp"
#include "policy/base/encode.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <type_traits>

namespace aduana::broker {
namespace {

using wire::Fields;
using wire::Writer;

constexpr std::size_t max_name = 4096;
constexpr std::size_t max_handle = 64;
// Method and path come from the sandbox: as long as the frame allows, so that a strange request cannot make the broker
// hang up on the proxy.
constexpr std::size_t max_request_part = wire::max_frame;
constexpr std::uint32_t max_sources = max_descriptors - 2;
constexpr std::uint32_t max_environment = 256;
constexpr std::uint32_t max_fields = 16;
constexpr std::uint32_t max_covered = 512;
// Two length prefixes: what a pair of strings takes at least.
constexpr std::size_t min_pair = 2 * sizeof(std::uint32_t);
constexpr std::size_t min_triple = 3 * sizeof(std::uint32_t);
// A byte and two length prefixes.
constexpr std::size_t min_edit = 1 + min_pair;

// Two lists, a byte and a number.
constexpr std::size_t min_capture = min_pair + 1 + sizeof(std::uint64_t);

template <MessageType type, class T>
constexpr bool matches = std::is_same_v<std::variant_alternative_t<static_cast<std::size_t>(type) - 1, Message>, T>;
static_assert(matches<MessageType::task_open, TaskOpen> && matches<MessageType::task_opened, TaskOpened> &&
              matches<MessageType::task_close, TaskClose> && matches<MessageType::task_closed, TaskClosed> &&
              matches<MessageType::acquire, Acquire> && matches<MessageType::lease, Lease> &&
              matches<MessageType::release, Release> && matches<MessageType::refused, Refused> &&
              matches<MessageType::sign, Sign> && matches<MessageType::signed_request, Signed>);

constexpr std::array<std::string_view, std::variant_size_v<Message>> names = {
    "TaskOpen", "TaskOpened", "TaskClose", "TaskClosed", "Acquire", "Lease", "Release", "Refused", "Sign", "Signed"};

void put(Writer& out, const TaskOpen& message)
{
    out.bytes(message.task).bytes(message.credentials_file).bytes(message.policy_file).list(message.file_sources);
    out.list(message.kept).boolean(message.ledger).u32(message.old_ledgers);
    out.bytes(message.parent.host).u32(message.parent.port).bytes(message.parent.credential);
    out.u32(static_cast<std::uint32_t>(message.environment.size()));
    for (const auto& variable : message.environment)
        out.bytes(variable.name).bytes(variable.value.reveal());
}

TaskOpen take_task_open(Fields& in)
{
    TaskOpen message;
    message.task = in.text("task", max_name);
    message.credentials_file = in.text("credentials_file", max_name);
    message.policy_file = in.text("policy_file", max_name);
    message.file_sources = in.list("file_sources", max_sources, max_name);
    message.kept = in.list("kept", max_sources, max_name);
    message.ledger = in.boolean("ledger");
    message.old_ledgers = in.u32("old_ledgers");
    if (message.old_ledgers > max_old_ledgers)
        in.refuse("old_ledgers");
    message.parent.host = in.text("parent", max_name);
    message.parent.port = in.u16("parent");
    message.parent.credential = in.text("parent", max_name);
    const auto count = in.count("environment", min_pair, max_environment);
    for (std::uint32_t i = 0; i < count; ++i) {
        auto name = in.text("environment", max_name);
        message.environment.push_back({std::move(name), Secret::copy_of(in.view("environment", max_value))});
    }
    return message;
}

void put(Writer& out, const TaskOpened& message)
{
    out.bytes(message.handle).u32(static_cast<std::uint32_t>(message.placeholders.size()));
    for (const auto& placeholder : message.placeholders)
        out.bytes(placeholder.variable).bytes(placeholder.credential).bytes(placeholder.value);
}

TaskOpened take_task_opened(Fields& in)
{
    TaskOpened message;
    message.handle = in.text("handle", max_handle);
    const auto count = in.count("placeholders", min_triple, max_placeholders);
    for (std::uint32_t i = 0; i < count; ++i) {
        auto variable = in.text("placeholders", max_name);
        auto credential = in.text("placeholders", max_name);
        message.placeholders.push_back({std::move(variable), std::move(credential), in.text("placeholders", max_name)});
    }
    return message;
}

void put(Writer& out, const TaskClose& message)
{
    out.bytes(message.handle);
}

TaskClose take_task_close(Fields& in)
{
    return {in.text("handle", max_handle)};
}

void put(Writer& out, const TaskClosed& message)
{
    const std::span revoked(message.revoked.data(), std::min<std::size_t>(message.revoked.size(), max_revoked));
    out.u32(static_cast<std::uint32_t>(revoked.size()));
    for (const auto& lease : revoked)
        out.bytes(lease.id).bytes(lease.credential);
    out.list(message.unrevoked).list(message.swept);
}

TaskClosed take_task_closed(Fields& in)
{
    TaskClosed message;
    const auto revoked = in.count("revoked", min_pair, max_revoked);
    message.revoked.reserve(revoked);
    for (std::uint32_t i = 0; i < revoked; ++i) {
        auto id = in.text("revoked", max_handle);
        message.revoked.push_back({std::move(id), in.text("revoked", max_name)});
    }
    message.unrevoked = in.list("unrevoked", max_unrevoked, max_name);
    message.swept = in.list("swept", max_unrevoked, max_name);
    return message;
}

void put(Writer& out, const Acquire& message)
{
    out.bytes(message.handle).bytes(message.credential).bytes(message.host).u32(message.port);
    out.bytes(message.verified_name).bytes(message.method).bytes(message.path);
    out.bytes(message.rejected);
}

Acquire take_acquire(Fields& in)
{
    Acquire message;
    message.handle = in.text("handle", max_handle);
    message.credential = in.text("credential", max_name);
    message.host = in.text("host", max_name);
    message.port = in.u16("port");
    message.verified_name = in.text("verified_name", max_name);
    message.method = in.text("method", max_request_part);
    message.path = in.text("path", max_request_part);
    message.rejected = in.text("rejected", max_handle);
    return message;
}

void put(Writer& out, const Lease& message)
{
    out.bytes(message.id).bytes(message.credential).u64(message.generation).u64(message.valid_ms);
    out.u64(message.uses_left)
        .boolean(message.fresh)
        .boolean(message.minted)
        .u64(message.dies_ms)
        .u64(message.settles_ms);
    out.u8(static_cast<std::uint8_t>(message.signing)).bytes(message.identity.reveal());
    out.u32(static_cast<std::uint32_t>(message.fields.size()));
    for (const auto& field : message.fields)
        out.bytes(field.name).bytes(field.value.reveal());
    out.u32(static_cast<std::uint32_t>(message.edits.size()));
    for (const auto& edit : message.edits)
        out.u8(static_cast<std::uint8_t>(edit.op)).bytes(edit.name).bytes(edit.value.reveal());
    out.boolean(message.replaces_foreign).u32(static_cast<std::uint32_t>(message.scrub.size()));
    for (const auto& value : message.scrub)
        out.bytes(value.reveal());
    out.u32(static_cast<std::uint32_t>(message.captures.size()));
    for (const auto& capture : message.captures) {
        out.list(capture.members).list(capture.hosts).boolean(capture.at_href);
        out.u64(capture.ttl_ms);
    }
}

std::vector<Capture> take_captures(Fields& in)
{
    std::vector<Capture> captures;
    const auto count = in.count("captures", min_capture, max_captures);
    for (std::uint32_t i = 0; i < count; ++i) {
        Capture capture;
        capture.members = in.list("captures", max_captured, max_name);
        capture.hosts = in.list("captures", max_captured, max_name);
        capture.at_href = in.boolean("captures");
        capture.ttl_ms = in.u64("captures");
        captures.push_back(std::move(capture));
    }
    return captures;
}

std::vector<Edit> take_edits(Fields& in)
{
    constexpr auto first = static_cast<std::uint8_t>(EditOp::query);
    constexpr auto last = static_cast<std::uint8_t>(EditOp::basic_password);
    std::vector<Edit> edits;
    const auto count = in.count("edits", min_edit, max_fields);
    for (std::uint32_t i = 0; i < count; ++i) {
        const auto op = static_cast<EditOp>(in.u8("edits", first, last));
        auto name = in.text("edits", max_name);
        edits.push_back({op, std::move(name), Secret::copy_of(in.view("edits", max_value))});
    }
    return edits;
}

Lease take_lease(Fields& in)
{
    Lease message;
    message.id = in.text("id", max_handle);
    message.credential = in.text("credential", max_name);
    message.generation = in.u64("generation");
    message.valid_ms = in.u64("valid_ms");
    message.uses_left = in.u64("uses_left");
    message.fresh = in.boolean("fresh");
    message.minted = in.boolean("minted");
    message.dies_ms = in.u64("dies_ms");
    message.settles_ms = in.u64("settles_ms");
    constexpr auto last = static_cast<std::uint8_t>(Signing::keyed_hash_of_body);
    message.signing = static_cast<Signing>(in.u8("signing", 0, last));
    message.identity = Secret::copy_of(in.view("identity", max_value));
    const auto fields = in.count("fields", min_pair, max_fields);
    for (std::uint32_t i = 0; i < fields; ++i) {
        auto name = in.text("fields", max_name);
        message.fields.push_back({std::move(name), Secret::copy_of(in.view("fields", max_value))});
    }
    message.edits = take_edits(in);
    message.replaces_foreign = in.boolean("replaces_foreign");
    const auto scrub = in.count("scrub", sizeof(std::uint32_t), max_fields);
    for (std::uint32_t i = 0; i < scrub; ++i)
        message.scrub.push_back(Secret::copy_of(in.view("scrub", max_value)));
    message.captures = take_captures(in);
    return message;
}

void put(Writer& out, const Release& message)
{
    out.bytes(message.handle).bytes(message.lease);
}

Release take_release(Fields& in)
{
    Release message;
    message.handle = in.text("handle", max_handle);
    message.lease = in.text("lease", max_handle);
    return message;
}

void put(Writer& out, const Refused& message)
{
    // A broken file can have more mistakes than fit: the first ones are told.
    out.u8(static_cast<std::uint8_t>(message.code)).bytes(std::string_view(message.detail).substr(0, max_detail));
}

Refused take_refused(Fields& in)
{
    constexpr auto first = static_cast<std::uint8_t>(RefusalCode::bad_request);
    constexpr auto last = static_cast<std::uint8_t>(RefusalCode::foreign_key);
    Refused message;
    message.code = static_cast<RefusalCode>(in.u8("code", first, last));
    message.detail = in.text("detail", max_detail);
    return message;
}

void put(Writer& out, const Sign& message)
{
    put(out, message.request);
    out.bytes(message.lease).bytes(message.query);
    out.u32(static_cast<std::uint32_t>(message.fields.size()));
    for (const auto& field : message.fields)
        out.bytes(field.name).bytes(field.value);
    out.bytes(message.payload);
    const auto& claim = message.claim;
    out.u8(static_cast<std::uint8_t>(claim.version)).u8(static_cast<std::uint8_t>(claim.form));
    out.bytes(claim.key_id).bytes(claim.region).bytes(claim.service).u64(claim.lifetime_s);
}

AwsScopeClaim take_claim(Fields& in)
{
    AwsScopeClaim claim;
    claim.version = static_cast<SignatureVersion>(in.u8("version", 1, 2));
    claim.form = static_cast<SignatureForm>(in.u8("form", 1, 2));
    claim.key_id = in.text("key_id", max_request_part);
    claim.region = in.text("region", max_request_part);
    claim.service = in.text("service", max_request_part);
    claim.lifetime_s = in.u64("lifetime_s");
    return claim;
}

Sign take_sign(Fields& in)
{
    Sign message;
    message.request = take_acquire(in);
    message.lease = in.text("lease", max_handle);
    message.query = in.text("query", max_request_part);
    const auto fields = in.count("fields", min_pair, max_covered);
    for (std::uint32_t i = 0; i < fields; ++i) {
        auto name = in.text("fields", max_request_part);
        message.fields.push_back({std::move(name), in.text("fields", max_request_part)});
    }
    message.payload = in.text("payload", max_request_part);
    message.claim = take_claim(in);
    return message;
}

void put(Writer& out, const Signed& message)
{
    out.bytes(message.seed).bytes(message.time);
    out.u32(static_cast<std::uint32_t>(message.fields.size()));
    for (const auto& field : message.fields)
        out.bytes(field.name).bytes(field.value.reveal());
    out.bytes(message.query.reveal()).bytes(message.chunk_key.reveal());
}

Signed take_signed(Fields& in)
{
    Signed message;
    message.seed = in.text("seed", max_name);
    message.time = in.text("time", max_name);
    const auto fields = in.count("fields", min_pair, max_fields);
    for (std::uint32_t i = 0; i < fields; ++i) {
        auto name = in.text("fields", max_name);
        message.fields.push_back({std::move(name), Secret::copy_of(in.view("fields", max_value))});
    }
    message.query = Secret::copy_of(in.view("query", max_request_part));
    message.chunk_key = Secret::copy_of(in.view("chunk_key", max_value));
    return message;
}

Message take(MessageType type, Fields& in)
{
    switch (type) {
    case MessageType::task_open:
        return take_task_open(in);
    case MessageType::task_opened:
        return take_task_opened(in);
    case MessageType::task_close:
        return take_task_close(in);
    case MessageType::task_closed:
        return take_task_closed(in);
    case MessageType::acquire:
        return take_acquire(in);
    case MessageType::lease:
        return take_lease(in);
    case MessageType::release:
        return take_release(in);
    case MessageType::refused:
        return take_refused(in);
    case MessageType::sign:
        return take_sign(in);
    case MessageType::signed_request:
        return take_signed(in);
    }
    // The caller has checked the range of `type`.
    return Refused{};
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

} // namespace aduana::broker
