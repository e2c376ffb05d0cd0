// SPDX-License-Identifier: Apache-2.0
// The fields of both directions, in declared order.
#include "broker/mint/carriage.hpp"

#include "policy/base/fields.hpp"

namespace aduana::broker {
namespace {

using wire::Fields;
using wire::Reader;
using wire::Writer;

constexpr std::uint8_t call_type = 1;
constexpr std::uint8_t answer_type = 2;
constexpr std::uint8_t undelivered_type = 3;
constexpr std::uint8_t run_type = 4;
constexpr std::uint8_t printed_type = 5;
constexpr std::size_t max_text = 8 * 1024;
constexpr std::size_t max_secret_part = 64 * 1024;
constexpr std::uint32_t max_call_fields = 32;
constexpr std::uint32_t max_ranges = 256;
constexpr std::size_t min_pair = 2 * sizeof(std::uint32_t);

Secret take_secret(Fields& in, std::string_view field)
{
    return Secret::copy_of(in.view(field, max_secret_part));
}

Call take_call(Fields& in)
{
    auto method = in.text("method", max_text);
    auto host = policy::Host::parse(in.view("host", max_text));
    if (!host) {
        in.refuse("host");
        host = policy::Host::parse("invalid.test");
    }
    Call call{.method = std::move(method),
              .endpoint = {.host = std::move(*host), .port = in.u16("port"), .target = {}},
              .fields = {},
              .body = {},
              .identity = {}};
    call.endpoint.target = in.text("target", max_text);
    for (const auto& text : in.list("addresses", max_ranges, max_text)) {
        if (const auto range = policy::Cidr::parse(text))
            call.endpoint.addresses.push_back(*range);
        else
            in.refuse("addresses");
    }
    const auto count = in.count("fields", min_pair, max_call_fields);
    for (std::uint32_t i = 0; i < count; ++i) {
        auto name = in.text("fields", max_text);
        call.fields.push_back({std::move(name), take_secret(in, "fields")});
    }
    call.body = take_secret(in, "body");
    if (in.boolean("identity")) {
        auto certificate = take_secret(in, "identity");
        call.identity = ClientIdentity{std::move(certificate), take_secret(in, "identity")};
    }
    return call;
}

KeepOrder take_keep(Fields& in)
{
    KeepOrder keep;
    keep.public_key = in.text("keep", max_text);
    keep.credential = in.text("keep", max_text);
    keep.before = in.text("keep", max_text);
    keep.slot = in.u8("keep", 0, 1);
    return keep;
}

Answer take_answer(Fields& in)
{
    Answer answer;
    answer.status = in.u16("status");
    const auto count = in.count("fields", min_pair, max_answer_fields);
    for (std::uint32_t i = 0; i < count; ++i) {
        auto name = in.text("fields", max_answer_value);
        answer.fields.push_back({std::move(name), in.text("fields", max_answer_value)});
    }
    answer.body = Secret::copy_of(in.view("body", max_answer_body));
    return answer;
}

Run take_run(Fields& in)
{
    Run run;
    run.command = in.list("command", max_run_texts, max_run_text);
    if (run.command.empty())
        in.refuse("command");
    run.environment = in.list("environment", max_run_texts, max_run_text);
    return run;
}

Printed take_printed(Fields& in)
{
    Printed printed;
    printed.failure = in.text("failure", max_text);
    printed.output = Secret::copy_of(in.view("output", max_printed));
    return printed;
}

void put(Writer& out, const Answer& answer)
{
    out.u32(answer.status).u32(static_cast<std::uint32_t>(answer.fields.size()));
    for (const auto& field : answer.fields)
        out.bytes(field.name).bytes(field.value);
    out.bytes(answer.body.reveal());
}

void put(Writer& out, const Undelivered& undelivered)
{
    out.bytes(undelivered.detail);
}

void put(Writer& out, const Printed& printed)
{
    out.bytes(printed.failure).bytes(printed.output.reveal());
}

struct TypeOf {
    std::uint8_t operator()(const Answer&) const { return answer_type; }
    std::uint8_t operator()(const Undelivered&) const { return undelivered_type; }
    std::uint8_t operator()(const Printed&) const { return printed_type; }
};

} // namespace

Writer encode_call(const Call& call, std::uint64_t errand, const KeepOrder* keep)
{
    Writer out(call_type, errand);
    out.bytes(call.method).bytes(call.endpoint.host.text()).u32(call.endpoint.port).bytes(call.endpoint.target);
    std::vector<std::string> ranges;
    ranges.reserve(call.endpoint.addresses.size());
    for (const auto& range : call.endpoint.addresses)
        ranges.push_back(range.to_string());
    out.list(ranges);
    out.u32(static_cast<std::uint32_t>(call.fields.size()));
    for (const auto& field : call.fields)
        out.bytes(field.name).bytes(field.value.reveal());
    out.bytes(call.body.reveal()).boolean(call.identity.has_value());
    if (call.identity)
        out.bytes(call.identity->certificate.reveal()).bytes(call.identity->key.reveal());
    out.boolean(keep != nullptr);
    if (keep != nullptr)
        out.bytes(keep->public_key).bytes(keep->credential).bytes(keep->before).u8(keep->slot);
    return out;
}

Writer encode_run(const Run& run, std::uint64_t errand)
{
    Writer out(run_type, errand);
    out.list(run.command).list(run.environment);
    return out;
}

Writer encode_carried(const Carried& carried, std::uint64_t errand)
{
    Writer out(std::visit(TypeOf{}, carried), errand);
    std::visit([&](const auto& message) { put(out, message); }, carried);
    return out;
}

Result<ErrandFrame> decode_call(std::string_view frame)
{
    Reader reader(frame);
    if (reader.failed() || reader.header().type != call_type)
        return Error{"frame without the header of a call"};
    Fields in(reader, "Call");
    ErrandFrame decoded{reader.header().request, take_call(in)};
    if (in.boolean("keep"))
        decoded.keep = take_keep(in);
    if (const auto finished = in.finish(); !finished)
        return finished.error();
    return decoded;
}

Result<RunFrame> decode_run(std::string_view frame)
{
    Reader reader(frame);
    if (reader.failed() || reader.header().type != run_type)
        return Error{"frame without the header of a run"};
    Fields in(reader, "Run");
    RunFrame decoded{reader.header().request, take_run(in)};
    if (const auto finished = in.finish(); !finished)
        return finished.error();
    return decoded;
}

Result<CarriedFrame> decode_carried(std::string_view frame)
{
    Reader reader(frame);
    const auto type = reader.header().type;
    if (reader.failed() || (type != answer_type && type != undelivered_type && type != printed_type))
        return Error{"frame without the header of an answer"};
    Fields in(reader, type == answer_type ? "Answer" : type == printed_type ? "Printed" : "Undelivered");
    CarriedFrame decoded{reader.header().request, {}};
    if (type == answer_type)
        decoded.carried = take_answer(in);
    else if (type == printed_type)
        decoded.carried = take_printed(in);
    else
        decoded.carried = Undelivered{in.text("detail", max_text)};
    if (const auto finished = in.finish(); !finished)
        return finished.error();
    return decoded;
}

} // namespace aduana::broker
