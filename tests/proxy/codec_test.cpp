// SPDX-License-Identifier: Apache-2.0
// The control protocol: every message survives its frame, and nothing but its frame is read as that message.
#include "proxy/control/codec.hpp"

#include <gtest/gtest.h>

#include <random>

namespace aduana::proxy::control {
namespace {

using policy::MetadataService;

std::vector<Message> samples()
{
    TaskOpen open;
    open.task = "demo";
    open.policy_file = "policy.yaml";
    open.broker_handle = std::string("\0\1handle", 8);
    open.listeners = {ListenerKind::proxy, ListenerKind::redirected, ListenerKind::dns_udp};
    open.journal_key_seed.assign(32, 's');
    open.journal_seq = 1;
    open.journal_hash = "00ff";
    open.with_broker = true;
    open.hosts = {{"api.demo.test", {"127.0.0.1", "::1"}}, {"b.test", {}}};
    open.nameservers = {"10.0.0.53"};
    open.parent = {"proxy.corp.test", 3128, "corp-proxy", {".corp.test", "10.0.0.1"}};
    open.placeholders = {{"issues", "iss_EGP_A"}, {"npm", "EGP_B"}};
    open.metadata = {{MetadataService::imds, {"AKIA", "secret", "EGP_C"}, "eu-west-1", "00ff"},
                     {MetadataService::azure, {"EGP_A"}, "", ""}};
    TaskClosed closed;
    closed.reached = {{"api.example.com", 443, "https", "allowed", 3, 100, 2000}};
    closed.refused = {{"evil.test", 65535, "http", "no-rule", 1, 0, 0}};
    closed.credentials = {"issues"};
    closed.journal_seq = 17;
    closed.journal_hash = "ff00";
    return {open,
            TaskOpened{"-----BEGIN CERTIFICATE-----"},
            Note{"demo", "memory", "1 GiB"},
            TaskClose{"demo", -1, "signal 9", {"memory", "time"}, {{"0a", "issues", "task-ended"}}},
            closed,
            Refusal{"demo", "no rule allows evil.test:443"},
            Failed{"policy.yaml:1:1: no", "write something else"},
            TaskStop{"demo"},
            TaskStopped{}};
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

TEST(ControlCodec, EveryMessageComesBackAsTheSameBytes)
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

TEST(ControlCodec, FieldsArriveInTheirPlaces)
{
    const auto opened = decode(frame_of(samples()[0]));
    ASSERT_TRUE(opened);
    const auto& open = std::get<TaskOpen>(opened->message);
    EXPECT_EQ(open.listeners, (std::vector{ListenerKind::proxy, ListenerKind::redirected, ListenerKind::dns_udp}));
    EXPECT_FALSE(open.durable_to_power_loss);
    EXPECT_TRUE(open.with_broker);
    ASSERT_EQ(open.hosts.size(), 2U);
    EXPECT_EQ(open.hosts[0].second, (std::vector<std::string>{"127.0.0.1", "::1"}));
    EXPECT_EQ(open.nameservers, std::vector<std::string>{"10.0.0.53"});
    ASSERT_EQ(open.placeholders.size(), 2U);
    EXPECT_EQ(open.placeholders[1].credential, "npm");
    EXPECT_EQ(open.placeholders[1].value, "EGP_B");
    ASSERT_EQ(open.metadata.size(), 2U);
    EXPECT_EQ(open.metadata[0].service, MetadataService::imds);
    EXPECT_EQ(open.metadata[0].values, (std::vector<std::string>{"AKIA", "secret", "EGP_C"}));
    EXPECT_EQ(open.metadata[0].region, "eu-west-1");
    EXPECT_EQ(open.metadata[0].token, "00ff");
    EXPECT_EQ(open.metadata[1].values, std::vector<std::string>{"EGP_A"});

    const auto closing = decode(frame_of(samples()[3]));
    ASSERT_TRUE(closing);
    EXPECT_EQ(std::get<TaskClose>(closing->message).exit_status, -1);

    const auto closed = decode(frame_of(samples()[4]));
    ASSERT_TRUE(closed);
    const auto& reached = std::get<TaskClosed>(closed->message).reached.at(0);
    EXPECT_EQ(reached.port, 443);
    EXPECT_EQ(reached.requests, 3U);
    EXPECT_EQ(reached.bytes_up, 100U);
    EXPECT_EQ(reached.bytes_down, 2000U);
    EXPECT_EQ(std::get<TaskClosed>(closed->message).refused.at(0).reason, "no-rule");
}

TEST(ControlCodec, AnExampleFrameHasTheseBytes)
{
    // version 1, type 3 (Note), request 258: changing the format means changing this test.
    EXPECT_EQ(frame_of(Note{"a", "b", ""}, 258),
              std::string("\x01\x03\x02\x01\0\0\0\0\0\0\x01\0\0\0a\x01\0\0\0b\0\0\0\0", 24));
}

TEST(ControlCodec, ATruncatedFrameIsAnErrorAtEveryByte)
{
    for (const auto& message : samples()) {
        const auto frame = frame_of(message);
        for (std::size_t size = 0; size < frame.size(); ++size) {
            SCOPED_TRACE(std::string(name_of(type_of(message))) + " cut after " + std::to_string(size));
            EXPECT_FALSE(decode(std::string_view(frame).substr(0, size)));
        }
    }
}

TEST(ControlCodec, BytesAfterTheLastFieldAreAnError)
{
    for (const auto& message : samples()) {
        SCOPED_TRACE(name_of(type_of(message)));
        EXPECT_FALSE(decode(frame_of(message) + '\0'));
    }
}

TEST(ControlCodec, AChangedByteNeverDecodesToOtherBytes)
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

TEST(ControlCodec, ValuesOutOfRangeAreRefusedByName)
{
    auto seedless = std::get<TaskOpen>(samples()[0]);
    seedless.journal_key_seed = "short";
    auto crowded = std::get<TaskOpen>(samples()[0]);
    crowded.listeners.assign(max_listeners + 1, ListenerKind::proxy);
    auto odd = std::get<TaskOpen>(samples()[0]);
    odd.listeners = {static_cast<ListenerKind>(7)};
    const std::vector<std::pair<Message, std::string>> cases = {
        {seedless, "message TaskOpen: field journal_key_seed is cut short or out of range"},
        {crowded, "message TaskOpen: field listeners is cut short or out of range"},
        {odd, "message TaskOpen: field listeners is cut short or out of range"},
        {Note{std::string(5000, 't'), "", ""}, "message Note: field task is cut short or out of range"},
        {TaskClose{"t", 0, "", std::vector<std::string>(65)},
         "message TaskClose: field limits_hit is cut short or out of range"},
        {Refusal{"t", "\x1b[2Jevil"}, "message Refusal: field line is cut short or out of range"},
        {Refusal{"t", "caf\xc3\xa9"}, "message Refusal: field line is cut short or out of range"},
        {Refusal{"t", "two\nlines"}, "message Refusal: field line is cut short or out of range"},
    };
    for (const auto& [message, expected] : cases)
        EXPECT_EQ(error_of(frame_of(message)), expected);
    EXPECT_EQ(error_of(std::string_view("\x01\x0a\0\0\0\0\0\0\0\0", 10)), "message of unknown type 10");
    EXPECT_EQ(error_of(std::string_view("\x01\0\0\0\0\0\0\0\0\0", 10)), "message of unknown type 0");
    EXPECT_EQ(error_of("garbage"), "frame without a valid header");
}

TEST(ControlCodec, AMetadataServiceHasItsValuesAndItsToken)
{
    const Metadata cases[] = {
        {static_cast<MetadataService>(4), {"v"}, "", ""},
        {MetadataService::ecs, {"id", "secret"}, "", "token"},
        {MetadataService::ecs, {"id", "secret", "session", "more"}, "", "token"},
        {MetadataService::imds, {"id", "secret", "session"}, "", ""},
        {MetadataService::gcp, {}, "", ""},
        {MetadataService::gcp, {"v", "w"}, "", ""},
        {MetadataService::azure, {"v"}, "", "token"},
    };
    for (const auto& metadata : cases) {
        auto open = std::get<TaskOpen>(samples()[0]);
        open.metadata = {metadata};
        EXPECT_EQ(error_of(frame_of(open)), "message TaskOpen: field metadata is cut short or out of range");
    }
    auto crowded = std::get<TaskOpen>(samples()[0]);
    crowded.metadata.assign(5, {MetadataService::gcp, {"v"}, "", ""});
    EXPECT_EQ(error_of(frame_of(crowded)), "message TaskOpen: field metadata is cut short or out of range");
}

TEST(ControlCodec, TotalsOfATaskWithVeryManyLongNamesStillFit)
{
    TaskClosed closed;
    const Destination longest{std::string(253, 'x'), 443, "https", "no-rule", 1, 2, 3};
    closed.reached.assign(2000, longest);
    closed.refused.assign(2000, {"short.test", 443, "https", "no-rule", 1, 2, 3});
    closed.journal_seq = 9;
    const auto decoded = decode(frame_of(closed));
    ASSERT_TRUE(decoded);
    const auto& kept = std::get<TaskClosed>(decoded->message);
    EXPECT_GT(kept.reached.size(), 300U);
    EXPECT_LT(kept.reached.size(), 1000U);
    EXPECT_EQ(kept.refused.size(), 1000U);
    EXPECT_EQ(kept.journal_seq, 9U);
}

TEST(ControlCodec, LongFailuresAreCut)
{
    const auto decoded = decode(frame_of(Failed{std::string(100000, 'm'), std::string(100000, 'r')}));
    ASSERT_TRUE(decoded);
    EXPECT_EQ(std::get<Failed>(decoded->message).message.size(), 65536U);
    EXPECT_EQ(std::get<Failed>(decoded->message).remedy.size(), 65536U);
}

} // namespace
} // namespace aduana::proxy::control
