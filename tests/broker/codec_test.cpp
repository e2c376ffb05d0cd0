// SPDX-License-Identifier: Apache-2.0
// Every message survives its frame, and nothing but its frame is read as that message.
#include "broker/protocol/codec.hpp"

#include <gtest/gtest.h>

#include <random>

namespace aduana::broker {
namespace {

Sign sign_sample()
{
    return {{"handle", "bucket", "s3.example.com", 443, "s3.example.com", "PUT", "/data/a"},
            "0011",
            "uploads=",
            {{"host", "s3.example.com"}, {"x-amz-acl", ""}},
            "UNSIGNED-PAYLOAD",
            {SignatureVersion::sigv4a, SignatureForm::query, "AKIA", "eu-west-1", "s3", 900}};
}

Signed signed_sample()
{
    Signed answer;
    answer.fields.push_back({"Authorization", Secret::copy_of("AWS4-HMAC-SHA256 ...")});
    answer.query = Secret::copy_of("X-Amz-Signature=00");
    answer.chunk_key = Secret::copy_of("32 bytes");
    answer.seed = "00ff";
    answer.time = "20150830T123600Z";
    return answer;
}

std::vector<Message> samples()
{
    std::vector<Message> messages;
    TaskOpen open{
        "demo", "/etc/c.yaml", "/etc/p.yaml", {"issues", "npm"}, {"npm"}, true, 3, {"proxy.test", 3128, "corp"}, {}};
    open.environment.push_back({"TOKEN", Secret::copy_of("value-of-a-variable")});
    messages.emplace_back(std::move(open));
    messages.emplace_back(TaskOpened{std::string("\0\1handle", 8), {{"ISSUES_TOKEN", "issues", "iss_EGP_AAAA"}}});
    messages.emplace_back(TaskClose{"handle"});
    messages.emplace_back(TaskClosed{{{"00112233", "issues"}, {"44556677", "npm"}}, {"issues"}, {"npm"}});
    messages.emplace_back(
        Acquire{"handle", "issues", "api.example.com", 65535, "api.example.com", "GET", "/v1", "0011"});
    Lease lease{"0011", "issues", 2, 900000, 999, true, true, 300000, 10000, Signing::aws, {}, {}, {}, true, {}};
    lease.identity = Secret::copy_of("-----BEGIN");
    lease.fields.push_back({"Authorization", Secret::copy_of("Bearer value")});
    lease.edits.push_back({EditOp::websocket_text, "", Secret::copy_of("value")});
    lease.edits.push_back({EditOp::query, "key", Secret::copy_of("val%75e")});
    lease.scrub.push_back(Secret::copy_of("value"));
    lease.captures.push_back({{"/access_token", "/id_token"}, {".example.com"}, true, 60000});
    messages.emplace_back(std::move(lease));
    messages.emplace_back(Release{"handle", "0011"});
    messages.emplace_back(Refused{RefusalCode::foreign_key, "c.yaml:1:1: no"});
    messages.emplace_back(sign_sample());
    messages.emplace_back(signed_sample());
    return messages;
}

std::string frame_of(const Message& message, std::uint64_t request = 7)
{
    return std::string(encode(message, request).frame());
}

std::string error_of(std::string_view frame)
{
    const auto decoded = decode(frame);
    return decoded ? "no error" : decoded.error().message;
}

TEST(BrokerCodec, EveryMessageComesBackAsTheSameBytes)
{
    const auto messages = samples();
    ASSERT_EQ(messages.size(), std::variant_size_v<Message>) << "a message has no sample";
    for (const auto& message : messages) {
        SCOPED_TRACE(name_of(type_of(message)));
        const auto frame = frame_of(message);
        const auto decoded = decode(frame);
        ASSERT_TRUE(decoded) << error_of(frame);
        EXPECT_EQ(decoded->request, 7U);
        EXPECT_EQ(decoded->message.index(), message.index());
        EXPECT_EQ(frame_of(decoded->message), frame);
    }
}

TEST(BrokerCodec, FieldsArriveInTheirPlaces)
{
    const auto frame = frame_of(samples()[5]);
    const auto decoded = decode(frame);
    ASSERT_TRUE(decoded);
    const auto& lease = std::get<Lease>(decoded->message);
    EXPECT_EQ(lease.id, "0011");
    EXPECT_EQ(lease.credential, "issues");
    EXPECT_EQ(lease.generation, 2U);
    EXPECT_EQ(lease.valid_ms, 900000U);
    EXPECT_EQ(lease.uses_left, 999U);
    EXPECT_TRUE(lease.fresh);
    EXPECT_EQ(lease.signing, Signing::aws);
    EXPECT_EQ(lease.identity.reveal(), "-----BEGIN");
    ASSERT_EQ(lease.fields.size(), 1U);
    EXPECT_EQ(lease.fields[0].name, "Authorization");
    EXPECT_EQ(lease.fields[0].value.reveal(), "Bearer value");
    EXPECT_TRUE(lease.replaces_foreign);
    ASSERT_EQ(lease.edits.size(), 2U);
    EXPECT_EQ(lease.edits[0].op, EditOp::websocket_text);
    EXPECT_EQ(lease.edits[1].op, EditOp::query);
    EXPECT_EQ(lease.edits[1].name, "key");
    EXPECT_EQ(lease.edits[1].value.reveal(), "val%75e");
    ASSERT_EQ(lease.scrub.size(), 1U);
    EXPECT_EQ(lease.scrub[0].reveal(), "value");
}

TEST(BrokerCodec, ASignatureIsAskedForAndAnsweredFieldByField)
{
    const auto asked = decode(frame_of(Message(sign_sample())));
    ASSERT_TRUE(asked);
    const auto& sign = std::get<Sign>(asked->message);
    EXPECT_EQ(sign.request.path, "/data/a");
    EXPECT_EQ(sign.lease, "0011");
    EXPECT_EQ(sign.query, "uploads=");
    ASSERT_EQ(sign.fields.size(), 2U);
    EXPECT_EQ(sign.fields[1].name, "x-amz-acl");
    EXPECT_EQ(sign.payload, "UNSIGNED-PAYLOAD");
    EXPECT_EQ(sign.claim.version, SignatureVersion::sigv4a);
    EXPECT_EQ(sign.claim.form, SignatureForm::query);
    EXPECT_EQ(sign.claim.key_id + sign.claim.region + sign.claim.service, "AKIAeu-west-1s3");
    EXPECT_EQ(sign.claim.lifetime_s, 900U);
    const auto answered = decode(frame_of(Message(signed_sample())));
    ASSERT_TRUE(answered);
    const auto& answer = std::get<Signed>(answered->message);
    ASSERT_EQ(answer.fields.size(), 1U);
    EXPECT_EQ(answer.query.reveal(), "X-Amz-Signature=00");
    EXPECT_EQ(answer.chunk_key.reveal(), "32 bytes");
    EXPECT_EQ(answer.seed + answer.time, "00ff20150830T123600Z");
}

TEST(BrokerCodec, AnExampleFrameHasTheseBytes)
{
    // version 1, type 7 (Release), request 258, "ab", "c": changing the format means changing this test.
    const auto frame = frame_of(Release{"ab", "c"}, 258);
    EXPECT_EQ(frame, std::string("\x01\x07\x02\x01\0\0\0\0\0\0\x02\0\0\0ab\x01\0\0\0c", 21));
}

TEST(BrokerCodec, ATruncatedFrameIsAnErrorAtEveryByte)
{
    for (const auto& message : samples()) {
        const auto frame = frame_of(message);
        for (std::size_t size = 0; size < frame.size(); ++size) {
            SCOPED_TRACE(std::string(name_of(type_of(message))) + " cut after " + std::to_string(size));
            EXPECT_FALSE(decode(std::string_view(frame).substr(0, size)));
        }
    }
}

TEST(BrokerCodec, BytesAfterTheLastFieldAreAnError)
{
    for (const auto& message : samples()) {
        SCOPED_TRACE(name_of(type_of(message)));
        EXPECT_FALSE(decode(frame_of(message) + '\0'));
    }
}

TEST(BrokerCodec, AChangedByteNeverDecodesToOtherBytes)
{
    std::mt19937 generator(1);
    for (const auto& message : samples()) {
        const auto frame = frame_of(message);
        for (int round = 0; round < 500; ++round) {
            auto changed = frame;
            changed[generator() % changed.size()] = static_cast<char>(generator());
            const auto decoded = decode(changed);
            if (decoded) {
                EXPECT_EQ(frame_of(decoded->message, decoded->request), changed);
            }
        }
    }
}

TEST(BrokerCodec, ErrorsNameTheMessageAndTheField)
{
    auto acquire = frame_of(Acquire{"h", "c", "api.example.com", 443, "v", "GET", "/", ""});
    EXPECT_EQ(error_of(std::string_view(acquire).substr(0, 22)),
              "message Acquire: field host is cut short or out of range");
    EXPECT_EQ(error_of(frame_of(TaskClose{"h"}) + "x").substr(0, 18), "message TaskClose:");
    EXPECT_EQ(error_of(std::string_view("\x01\x0b\0\0\0\0\0\0\0\0", 10)), "message of unknown type 11");
    EXPECT_EQ(error_of(std::string_view("\x02\x03\0\0\0\0\0\0\0\0", 10)), "frame without a valid header");
    EXPECT_EQ(error_of(""), "frame without a valid header");
}

TEST(BrokerCodec, ValuesOutOfRangeAreRefused)
{
    const auto header = [](std::uint8_t type) { return wire::Writer(type, 1); };
    struct Case {
        const char* sentence;
        std::string frame;
        const char* field;
    };
    const std::vector<Case> cases = {
        {"a port above 65535",
         std::string(
             header(5).bytes("h").bytes("c").bytes("host").u32(65536).bytes("v").bytes("GET").bytes("/").frame()),
         "port"},
        {"a refusal code of 0", std::string(header(8).u8(0).bytes("x").frame()), "code"},
        {"a refusal code past the last", std::string(header(8).u8(11).bytes("x").frame()), "code"},
        {"a handle of 65 bytes", std::string(header(3).bytes(std::string(65, 'h')).frame()), "handle"},
        {"more file sources than descriptors fit",
         std::string(header(1).bytes("t").bytes("c").bytes("p").list(std::vector<std::string>(63)).u32(0).frame()),
         "file_sources"},
        {"more ledgers than are taken",
         std::string(header(1)
                         .bytes("t")
                         .bytes("c")
                         .bytes("p")
                         .list({})
                         .list({})
                         .boolean(true)
                         .u32(max_old_ledgers + 1)
                         .frame()),
         "old_ledgers"},
        {"more environment values than 256",
         [&] {
             auto out = header(1);
             out.bytes("t").bytes("c").bytes("p").list({}).list({}).boolean(false).u32(0);
             out.bytes("").u32(0).bytes("").u32(257);
             for (int i = 0; i < 257; ++i)
                 out.bytes("N").bytes("v");
             return std::string(out.frame());
         }(),
         "environment"},
    };
    for (const auto& test : cases) {
        SCOPED_TRACE(test.sentence);
        EXPECT_NE(error_of(test.frame).find("field " + std::string(test.field) + " "), std::string::npos)
            << error_of(test.frame);
    }
}

TEST(BrokerCodec, ACountBeyondTheFrameReservesNothing)
{
    auto out = wire::Writer(static_cast<std::uint8_t>(MessageType::task_closed), 1);
    out.u32(0xffffffff);
    EXPECT_EQ(error_of(out.frame()), "message TaskClosed: field revoked is cut short or out of range");
}

TEST(BrokerCodec, ALongDetailIsCutAndAnOversizeMessageHasNoFrame)
{
    const auto cut = decode(frame_of(Refused{RefusalCode::invalid_file, std::string(max_detail + 100, 'x')}));
    ASSERT_TRUE(cut);
    EXPECT_EQ(std::get<Refused>(cut->message).detail.size(), max_detail);
    Acquire huge;
    huge.path.assign(wire::max_frame, 'a');
    EXPECT_EQ(frame_of(huge), "");
}

TEST(BrokerCodec, ARequestThatIsLentHasTheSameFrame)
{
    const auto message = std::move(samples()[0]);
    EXPECT_EQ(encode_open(std::get<TaskOpen>(message), 7).frame(), frame_of(message));
}

} // namespace
} // namespace aduana::broker
