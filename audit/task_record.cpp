// SPDX-License-Identifier: Apache-2.0
// The task record: a signed in-toto Statement (v1) in a DSSE envelope.
#include "audit/task_record.hpp"

#include "audit/text.hpp"
#include "audit/time.hpp"
#include "certs/digest.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace aduana::audit {
namespace {

namespace json = boost::json;

constexpr std::string_view statement_type = "https://in-toto.io/Statement/v1";
constexpr std::string_view predicate_type = "https://aduana.example.com/task-record/v1";
constexpr std::string_view payload_type = "application/vnd.in-toto+json";

/// What a DSSE signature covers: the pre-authentication encoding of the envelope's type and body.
std::string pre_authentication_encoding(std::string_view body)
{
    std::string encoding = "DSSEv1 " + std::to_string(payload_type.size()) + " ";
    encoding += payload_type;
    encoding += " " + std::to_string(body.size()) + " ";
    encoding += body;
    return encoding;
}

json::array strings(const std::vector<std::string>& values)
{
    json::array array;
    for (const std::string& value : values)
        array.emplace_back(valid_utf8(value));
    return array;
}

json::array limits_of(const TaskRecord& record)
{
    json::array limits;
    for (const LimitRecord& limit : record.limits)
        limits.push_back({{"name", valid_utf8(limit.name)},
                          {"set", valid_utf8(limit.set)},
                          {"peak", valid_utf8(limit.peak)},
                          {"hit", limit.hit},
                          {"mechanism", valid_utf8(limit.mechanism)}});
    return limits;
}

json::array destinations_of(const std::vector<DestinationRecord>& destinations)
{
    json::array array;
    for (const DestinationRecord& destination : destinations) {
        json::object object{{"scheme", valid_utf8(destination.scheme)},
                            {"host", valid_utf8(destination.host)},
                            {"port", destination.port},
                            {"requests", destination.requests},
                            {"bytes_up", destination.bytes_up},
                            {"bytes_down", destination.bytes_down}};
        if (!destination.reason.empty())
            object["reason"] = valid_utf8(destination.reason);
        array.push_back(std::move(object));
    }
    return array;
}

json::array subjects_of(const TaskRecord& record)
{
    json::array subjects;
    for (const FileRecord& file : record.files_out)
        subjects.push_back({{"name", valid_utf8(file.path)}, {"digest", {{"sha256", valid_utf8(file.sha256)}}}});
    return subjects;
}

json::object files_out_of(const TaskRecord& record)
{
    json::array files;
    for (const FileRecord& file : record.files_out)
        files.push_back({{"path", valid_utf8(file.path)}, {"size", file.size}});
    return {{"complete", record.files_out_complete}, {"files", std::move(files)}};
}

json::object labels_of(const TaskRecord& record)
{
    json::object labels;
    for (const auto& [key, value] : record.labels)
        labels[valid_utf8(key)] = valid_utf8(value);
    return labels;
}

std::string string_in(const json::value& value, std::string_view name)
{
    const auto* object = value.if_object();
    const auto* member = object ? object->if_contains(name) : nullptr;
    const auto* text = member ? member->if_string() : nullptr;
    return text ? std::string(*text) : std::string();
}

bool signed_by(const json::value& envelope, std::string_view body, const certs::VerifyingKey& key)
{
    const auto* signatures = envelope.get_object().if_contains("signatures");
    if (!signatures || !signatures->is_array())
        return false;
    // `keyid` is a hint that nobody signed: each signature is tried.
    for (const json::value& entry : signatures->get_array()) {
        const auto signature = certs::from_base64(string_in(entry, "sig"));
        if (signature && key.verify(pre_authentication_encoding(body), *signature))
            return true;
    }
    return false;
}

} // namespace

std::string to_statement(const TaskRecord& record)
{
    json::object predicate{
        {"task", valid_utf8(record.task)},
        {"labels", labels_of(record)},
        {"command", strings(record.command)},
        {"policy", {{"sha256", valid_utf8(record.policy_sha256)}}},
        {"start", format_time(record.start)},
        {"end", format_time(record.end)},
        {"exit", {{"status", record.exit_status}, {"cause", valid_utf8(record.cause)}}},
        {"limits", limits_of(record)},
        {"files_in", strings(record.files_in)},
        {"files_out", files_out_of(record)},
        {"destinations", {{"reached", destinations_of(record.reached)}, {"refused", destinations_of(record.refused)}}},
        {"credentials", strings(record.credentials)},
        {"journal",
         {{"name", valid_utf8(record.journal)},
          {"seq", record.journal_seq},
          {"hash", valid_utf8(record.journal_hash)}}},
    };
    return json::serialize(json::object{{"_type", statement_type},
                                        {"subject", subjects_of(record)},
                                        {"predicateType", predicate_type},
                                        {"predicate", std::move(predicate)}});
}

std::string sign_statement(std::string_view statement, const certs::SigningKey& key)
{
    const certs::Signature signature = key.sign(pre_authentication_encoding(statement));
    json::object entry{{"keyid", key.verifying_key().key_id()}, {"sig", certs::to_base64(certs::view_of(signature))}};
    return json::serialize(json::object{{"payload", certs::to_base64(statement)},
                                        {"payloadType", payload_type},
                                        {"signatures", json::array{std::move(entry)}}});
}

Result<std::string> open_envelope(std::string_view envelope, const certs::VerifyingKey& key)
{
    json::error_code error;
    const json::value value = json::parse(envelope, error);
    if (error || !value.is_object())
        return Error{"the task record is not a JSON object", "give the file that `aduana run --record` wrote"};
    if (string_in(value, "payloadType") != payload_type)
        return Error{"the task record's payloadType is not " + std::string(payload_type),
                     "give the file that `aduana run --record` wrote"};
    auto body = certs::from_base64(string_in(value, "payload"));
    if (!body)
        return Error{"the task record's payload is not base64", "the file was changed or cut"};
    if (!signed_by(value, *body, key))
        return Error{"the task record is not signed by the key " + key.key_id(),
                     "the file was changed, or another installation made it: give that one's public key"};
    return {boost::system::in_place_value, std::move(*body)};
}

Result<RecordedEnd> recorded_end(std::string_view statement)
{
    json::error_code error;
    const json::value value = json::parse(statement, error);
    if (error || string_in(value, "_type") != statement_type || string_in(value, "predicateType") != predicate_type)
        return Error{"the statement inside is not a task record", "give the file that `aduana run --record` wrote"};
    const auto* predicate = value.get_object().if_contains("predicate");
    const auto* journal =
        predicate && predicate->is_object() ? predicate->get_object().if_contains("journal") : nullptr;
    const auto* seq = journal && journal->is_object() ? journal->get_object().if_contains("seq") : nullptr;
    if (!seq || !seq->is_int64() || seq->get_int64() < 0)
        return Error{"the task record does not name its journal", "it was made by another version"};
    return RecordedEnd{string_in(*predicate, "task"), string_in(*journal, "name"),
                       static_cast<std::uint64_t>(seq->get_int64()), string_in(*journal, "hash")};
}

} // namespace aduana::audit
