// SPDX-License-Identifier: Apache-2.0
// The task record: its statement, its envelope, and envelopes that must not open.
#include "audit/task_record.hpp"

#include "certs/digest.hpp"
#include "tests/audit/sample_journal.hpp"
#include "tests/audit/sample_record.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

namespace aduana::audit {
namespace {

namespace json = boost::json;

TEST(TaskRecord, IsAnInTotoStatement)
{
    const std::string expected =
        R"({"_type":"https://in-toto.io/Statement/v1",)"
        R"("subject":[{"name":"out/a.txt","digest":{"sha256":"ab"}},{"name":"b","digest":{"sha256":"cd"}}],)"
        R"("predicateType":"https://aduana.example.com/task-record/v1","predicate":{"task":"demo","labels":{"team":"web"},)"
        R"("command":["npm","install"],"policy":{"sha256":"ef"},"start":"2026-07-01T12:00:00.000000Z",)"
        R"("end":"2026-07-01T12:00:01.500000Z","exit":{"status":0,"cause":"exited"},)"
        R"("limits":[{"name":"memory","set":"1GiB","peak":"412MiB","hit":false,"mechanism":"cgroup v2"}],)"
        R"j("files_in":["/data (ro)"],"files_out":{"complete":true,"files":[)j"
        R"({"path":"out/a.txt","size":12},{"path":"b","size":0}]},)"
        R"("destinations":{"reached":[{"scheme":"https","host":"api.example.com","port":443,"requests":3,"bytes_up":100,"bytes_down":2048}],)"
        R"("refused":[{"scheme":"https","host":"evil.test","port":443,"requests":1,"bytes_up":0,"bytes_down":0,"reason":"no-rule"}]},)"
        R"("credentials":["issues-api"],"journal":{"name":"2026-07-01-demo.jsonl","seq":9,"hash":"99"}}})";
    EXPECT_EQ(to_statement(sample_record()), expected);
}

TEST(TaskRecord, StaysValidJsonWhateverFilesAreCalled)
{
    TaskRecord record = sample_record();
    record.files_out = {{"\xFF\"\n\x1b", 1, "ab"}};
    record.command = {std::string("a\0b", 3), "\xC3"};
    json::error_code error;
    const auto statement = json::parse(to_statement(record), error);
    ASSERT_FALSE(error);
    EXPECT_EQ(statement.at("subject").at(0).at("name").as_string(), "\xEF\xBF\xBD\"\n\x1b");
}

TEST(TaskRecord, TheEnvelopeOpensWithThePublicKeyAlone)
{
    const auto key = certs::SigningKey::generate();
    const std::string statement = to_statement(sample_record());
    const auto opened = open_envelope(sign_statement(statement, key), key.verifying_key());
    ASSERT_TRUE(opened);
    EXPECT_EQ(*opened, statement);
}

TEST(TaskRecord, TellsHowItsJournalEnded)
{
    const auto end = recorded_end(to_statement(sample_record()));
    ASSERT_TRUE(end) << describe(end.error());
    EXPECT_EQ(end->task, "demo");
    EXPECT_EQ(end->journal, "2026-07-01-demo.jsonl");
    EXPECT_EQ(end->seq, 9U);
    EXPECT_EQ(end->hash, "99");
}

TEST(TaskRecord, AnotherStatementIsNoTaskRecord)
{
    for (const char* statement :
         {"", "[]", "{}", R"({"_type":"https://in-toto.io/Statement/v1","predicateType":"x"})"}) {
        SCOPED_TRACE(statement);
        EXPECT_EQ(recorded_end(statement).error().message, "the statement inside is not a task record");
    }
    auto statement = to_statement(sample_record());
    statement.replace(statement.find("\"seq\":9"), 7, "\"seq\":-9");
    EXPECT_EQ(recorded_end(statement).error().message, "the task record does not name its journal");
}

TEST(TaskRecord, TheSignatureCoversTheEncodingOfDsse)
{
    const auto key = certs::SigningKey::generate();
    const auto envelope = json::parse(sign_statement("hello world", key));
    EXPECT_EQ(envelope.at("payloadType").as_string(), "application/vnd.in-toto+json");
    EXPECT_EQ(envelope.at("payload").as_string(), "aGVsbG8gd29ybGQ=");
    EXPECT_EQ(envelope.at("signatures").at(0).at("keyid").as_string(), key.verifying_key().key_id());
    const auto signature = certs::from_base64(envelope.at("signatures").at(0).at("sig").as_string());
    EXPECT_TRUE(key.verifying_key().verify("DSSEv1 28 application/vnd.in-toto+json 11 hello world", signature.value()));
}

TEST(TaskRecord, AnEnvelopeThatWasChangedDoesNotOpen)
{
    const auto key = certs::SigningKey::generate();
    const std::string statement = to_statement(sample_record());
    const std::string envelope = sign_statement(statement, key);
    for (std::size_t at = 0; at < envelope.size(); ++at) {
        std::string changed = envelope;
        changed[at] = static_cast<char>(changed[at] ^ 1);
        const auto opened = open_envelope(changed, key.verifying_key());
        // Only the hint `keyid` is outside of the signature.
        if (opened)
            ASSERT_EQ(*opened, statement) << at;
    }
    EXPECT_FALSE(open_envelope(envelope, certs::SigningKey::generate().verifying_key()));
}

TEST(TaskRecord, ErrorsSayWhatIsWrong)
{
    const auto key = certs::SigningKey::generate().verifying_key();
    const auto message = [&key](std::string_view text) { return open_envelope(text, key).error().message; };
    EXPECT_EQ(message("hello"), "the task record is not a JSON object");
    EXPECT_EQ(message("[]"), "the task record is not a JSON object");
    EXPECT_EQ(message("{}"), "the task record's payloadType is not application/vnd.in-toto+json");
    EXPECT_EQ(message(R"({"payloadType":"application/vnd.in-toto+json","payload":"?"})"),
              "the task record's payload is not base64");
    for (const char* signatures : {"null", "[]", "{}", "[1]", R"([{"sig":5}])", R"([{"sig":"AAAA"}])"}) {
        SCOPED_TRACE(signatures);
        EXPECT_EQ(message(R"({"payloadType":"application/vnd.in-toto+json","payload":"AAAA","signatures":)" +
                          std::string(signatures) + "}"),
                  "the task record is not signed by the key " + key.key_id());
    }
}

TEST(TaskRecord, OneGoodSignatureAmongOthersIsEnough)
{
    const auto key = certs::SigningKey::generate();
    auto envelope = json::parse(sign_statement("x", key)).as_object();
    auto other = json::parse(sign_statement("x", certs::SigningKey::generate())).as_object();
    auto& signatures = envelope["signatures"].as_array();
    signatures.insert(signatures.begin(), other["signatures"].as_array().front());
    EXPECT_TRUE(open_envelope(json::serialize(envelope), key.verifying_key()));
}

} // namespace
} // namespace aduana::audit
