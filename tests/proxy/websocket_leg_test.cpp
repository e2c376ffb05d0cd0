// SPDX-License-Identifier: Apache-2.0
// Frames through one direction: what goes on is what came, but for masks and secrets; limits and violations.
#include "proxy/core/websocket_leg.hpp"

#include "tests/support/partition.hpp"
#include "tests/support/vectors.hpp"
#include "tests/support/websocket_bytes.hpp"

#include <limits>

namespace aduana::proxy {
namespace {

using test::frame;
using test::read_frames;

constexpr auto no_limit = std::numeric_limits<std::uint64_t>::max();
constexpr std::string_view secret = "s3cret-token-value";
const std::string more_than_whole(3 * WebsocketLeg::max_whole_frame / 2, 'x');

ScrubSet secrets()
{
    const auto value = Secret::copy_of(secret);
    return ScrubSet::of({&value});
}

MaskSource counting_masks()
{
    return [count = 0]() mutable {
        ++count;
        return MaskKey{static_cast<char>(count), '\x55', static_cast<char>(count >> 8), '\x0f'};
    };
}

std::string joined(const std::vector<std::string>& frames)
{
    std::string text;
    for (const auto& one : frames)
        text.append(text.empty() ? "" : ",").append(one);
    return text;
}

struct Passed {
    std::string bytes;
    std::optional<Violation> violation;
};

Passed pass(WebsocketLeg& leg, const test::Pieces& pieces)
{
    Passed passed;
    for (const auto piece : pieces) {
        std::string input(piece);
        passed.violation = leg.pass(input, passed.bytes);
        if (passed.violation)
            break;
    }
    return passed;
}

TEST(WebsocketLeg, PassesTheFramesOfTheCorpusOnAsTheyAre)
{
    for (const auto& row : test::read_vectors("websocket_frames.txt", 4)) {
        SCOPED_TRACE(row[1]);
        const bool client = row[2] == "client";
        for (const auto& pieces : test::partitions(row[3])) {
            auto leg = client ? WebsocketLeg::to_server(counting_masks(), no_limit) : WebsocketLeg::to_client(no_limit);
            const auto passed = pass(leg, pieces);
            auto told = read_frames(passed.bytes, client ? WebsocketPeer::client : WebsocketPeer::server);
            if (passed.violation)
                told.push_back("!" + std::to_string(static_cast<unsigned>(passed.violation->code)));
            EXPECT_EQ(joined(told), row[0].ends_with('~') ? "" : row[0]);
        }
    }
}

TEST(WebsocketLeg, TowardsAClientTheBytesStayTheSame)
{
    const std::string bytes = frame(Opcode::text, "Hel", test::Fin::more) + frame(Opcode::ping, "?") +
                              frame(Opcode::continuation, "lo") + frame(Opcode::binary, more_than_whole) +
                              frame(Opcode::close, "\x03\xe8"
                                                   "bye");
    for (const auto& pieces : test::partitions(bytes)) {
        auto leg = WebsocketLeg::to_client(no_limit);
        EXPECT_EQ(pass(leg, pieces).bytes, bytes);
        EXPECT_TRUE(leg.closed());
        EXPECT_EQ(leg.bytes(), bytes.size());
        EXPECT_EQ(leg.messages(), 2U);
    }
}

TEST(WebsocketLeg, TowardsAServerEachFrameHasAFreshMask)
{
    const MaskKey theirs{'\0', '\0', '\0', '\0'};
    auto leg = WebsocketLeg::to_server(counting_masks(), no_limit);
    const auto bytes = frame(Opcode::text, "GET / HTTP/1.1", theirs) + frame(Opcode::text, "GET / HTTP/1.1", theirs);
    const auto out = pass(leg, {bytes}).bytes;
    ASSERT_EQ(out.size(), bytes.size());
    EXPECT_EQ(out.find("GET"), std::string::npos) << "the client chose what is on the wire";
    EXPECT_NE(out.substr(2, 4), out.substr(2 + bytes.size() / 2, 4)) << "two frames with one mask";
}

TEST(WebsocketLeg, FindsASecretInAnyPlaceAndAtAnyCut)
{
    const auto set = secrets();
    const std::string bytes = frame(Opcode::text, "a s3cret-token-value b") + frame(Opcode::binary, secret) +
                              frame(Opcode::text, "cut s3cre", test::Fin::more) + frame(Opcode::ping, secret) +
                              frame(Opcode::continuation, "t-tok", test::Fin::more) +
                              frame(Opcode::continuation, "en-value end") + frame(Opcode::pong, secret) +
                              frame(Opcode::close, "\x03\xe8" + std::string(secret));
    const std::vector<std::string> expected{
        "t:a [scrubbed] b", "b:[scrubbed]",        "t+:cut ", "P:[scrubbed]", "c+:", "c:[scrubbed] end",
        "O:[scrubbed]",     "X:\x03\xe8[scrubbed]"};
    for (const auto& pieces : test::partitions(bytes)) {
        auto leg = WebsocketLeg::to_client(set, no_limit);
        const auto passed = pass(leg, pieces);
        EXPECT_EQ(passed.bytes.find("s3cret"), std::string::npos);
        EXPECT_EQ(read_frames(passed.bytes, WebsocketPeer::server), expected);
        EXPECT_EQ(leg.scrubbed(), 6U);
    }
}

TEST(WebsocketLeg, WithoutASecretScrubbedFramesStayTheSameBytes)
{
    const auto set = secrets();
    const std::string bytes = frame(Opcode::text, "s3cre", test::Fin::more) + frame(Opcode::continuation, "") +
                              frame(Opcode::binary, std::string(65536, 'a')) + frame(Opcode::text, "");
    const std::string shifted = frame(Opcode::text, "", test::Fin::more) + frame(Opcode::continuation, "s3cre") +
                                frame(Opcode::binary, std::string(65536, 'a')) + frame(Opcode::text, "");
    for (const auto& pieces : test::partitions(bytes)) {
        auto leg = WebsocketLeg::to_client(set, no_limit);
        EXPECT_EQ(pass(leg, pieces).bytes, shifted) << "only what may begin a secret waits, and no longer than needed";
    }
}

TEST(WebsocketLeg, ALargeFrameIsScrubbedInFragmentsOfOneMessage)
{
    const auto set = secrets();
    const auto payload = more_than_whole + std::string(secret) + more_than_whole;
    const auto bytes = frame(Opcode::binary, payload);
    for (const auto& pieces : {test::cut_every(bytes, 16384), test::cut_every(bytes, 999)}) {
        auto leg = WebsocketLeg::to_client(set, no_limit);
        const auto frames = read_frames(pass(leg, pieces).bytes, WebsocketPeer::server);
        ASSERT_GT(frames.size(), 1U);
        std::string whole;
        for (std::size_t i = 0; i < frames.size(); ++i) {
            const bool last = i + 1 == frames.size();
            const std::string head = std::string(i == 0 ? "b" : "c") + (last ? ":" : "+:");
            ASSERT_TRUE(frames[i].starts_with(head)) << frames[i].substr(0, 3);
            whole += frames[i].substr(head.size());
        }
        EXPECT_EQ(whole, more_than_whole + "[scrubbed]" + more_than_whole);
    }
}

TEST(WebsocketLeg, AMessageDoesNotBeginASecretForTheNext)
{
    const auto set = secrets();
    auto leg = WebsocketLeg::to_client(set, no_limit);
    const auto out = pass(leg, {frame(Opcode::text, "s3cret-tok") + frame(Opcode::text, "en-value")}).bytes;
    EXPECT_EQ(out, frame(Opcode::text, "s3cret-tok") + frame(Opcode::text, "en-value")) << "both are let go at once";
}

TEST(WebsocketLeg, AValueThatIsInjectedLaterIsFoundFromThenOn)
{
    const ScrubSet nothing;
    const auto set = secrets();
    auto leg = WebsocketLeg::to_client(nothing, no_limit);
    EXPECT_EQ(pass(leg, {frame(Opcode::text, secret)}).bytes, frame(Opcode::text, secret));
    leg.scrub_with(set);
    EXPECT_EQ(pass(leg, {frame(Opcode::text, secret)}).bytes, frame(Opcode::text, "[scrubbed]"));
}

TEST(WebsocketLeg, AControlFrameDoesNotOutgrowItsBoundWhenItIsScrubbed)
{
    const auto value = Secret::copy_of("12345678");
    const auto set = ScrubSet::of({&value});
    std::string payload;
    while (payload.size() < 120)
        payload += "12345678";
    auto leg = WebsocketLeg::to_client(set, no_limit);
    const auto out = pass(leg, {frame(Opcode::ping, payload) + frame(Opcode::close, "\x03\xe8" + payload)}).bytes;
    const auto frames = read_frames(out, WebsocketPeer::server);
    ASSERT_EQ(frames.size(), 2U) << "a frame that the client would refuse";
    EXPECT_TRUE(frames[0].starts_with("P:[scrubbed][scrubbed]"));
    EXPECT_TRUE(frames[1].starts_with("X:\x03\xe8[scrubbed][scrubbed]"));
}

TEST(WebsocketLeg, RefusesAFrameOverTheLimitAtItsHead)
{
    const auto first = frame(Opcode::text, "12345678");
    const auto bytes = first + frame(Opcode::text, "12345678");
    for (const auto& pieces : test::partitions(bytes)) {
        auto leg = WebsocketLeg::to_client(first.size() + 9);
        const auto passed = pass(leg, pieces);
        ASSERT_TRUE(passed.violation);
        EXPECT_EQ(passed.violation->code, CloseCode::policy_violation);
        EXPECT_EQ(passed.bytes, first) << "the frame that does not fit was passed on in part";
        EXPECT_TRUE(leg.between_frames());
    }
}

TEST(WebsocketLeg, AFrameThatCouldNeverPassIsTooBig)
{
    auto leg = WebsocketLeg::to_client(100);
    const auto passed = pass(leg, {frame(Opcode::binary, std::string(101, 'x'))});
    ASSERT_TRUE(passed.violation);
    EXPECT_EQ(passed.violation->code, CloseCode::too_big);
    EXPECT_EQ(passed.bytes, "");
}

TEST(WebsocketLeg, EmptyFramesAndPingsCountToo)
{
    for (const auto opcode : {Opcode::text, Opcode::ping}) {
        auto leg = WebsocketLeg::to_client(10);
        std::string flood;
        for (int i = 0; i < 6; ++i)
            flood += frame(opcode, "");
        const auto passed = pass(leg, {flood});
        ASSERT_TRUE(passed.violation);
        EXPECT_EQ(passed.bytes.size(), 10U);
    }
}

TEST(WebsocketLeg, AFarewellPassesAtTheLimit)
{
    auto leg = WebsocketLeg::to_client(3);
    const auto bytes = frame(Opcode::text, "a") + frame(Opcode::close, "\x03\xe8");
    EXPECT_EQ(pass(leg, {bytes}).bytes, bytes);
    EXPECT_TRUE(leg.closed());
}

TEST(WebsocketLeg, TellsWhereAnotherFrameMayBePutIn)
{
    auto leg = WebsocketLeg::to_client(no_limit);
    std::string out;
    auto bytes = frame(Opcode::text, "Hello");
    EXPECT_FALSE(leg.pass(std::span(bytes).first(4), out));
    EXPECT_FALSE(leg.between_frames());
    EXPECT_FALSE(leg.pass(std::span(bytes).subspan(4), out));
    EXPECT_TRUE(leg.between_frames());
    leg.append_close(out, CloseCode::going_away, "the task ends");
    EXPECT_EQ(out, frame(Opcode::text, "Hello") + frame(Opcode::close, "\x03\xe9the task ends"));
}

TEST(WebsocketLeg, ItsOwnCloseFrameIsMaskedTowardsAServer)
{
    auto leg = WebsocketLeg::to_server(counting_masks(), no_limit);
    std::string out;
    leg.append_close(out, CloseCode::protocol_error, "no");
    EXPECT_EQ(read_frames(out, WebsocketPeer::client), std::vector<std::string>{"X:\x03\xea"
                                                                                "no"});
}

struct TextCase {
    const char* sentence;
    std::string input;
    std::string expected;
};

std::string from_client(Opcode opcode, std::string_view payload, test::Fin fin = test::Fin::last)
{
    return frame(opcode, payload, fin, MaskKey{'\x11', '\x22', '\x33', '\x44'});
}

TEST(WebsocketLeg, ReplacesThePlaceholderInWholeTexts)
{
    const TextCase cases[] = {
        {"a text with it once", from_client(Opcode::text, "{\"t\":\"PH\"}"), "t:{\"t\":\"a-value\"}"},
        {"a text without it", from_client(Opcode::text, "hello"), "t:hello"},
        {"an empty text", from_client(Opcode::text, ""), "t:"},
        {"a text with it twice", from_client(Opcode::text, "PH PH"), "t:PH PH"},
        {"bytes that are no text", from_client(Opcode::binary, "PH"), "b:PH"},
        {"a control frame", from_client(Opcode::ping, "PH"), "P:PH"},
        {"a text in fragments",
         from_client(Opcode::text, "PH", test::Fin::more) + from_client(Opcode::continuation, "PH"), "t+:PH,c:PH"},
        {"one text behind the other", from_client(Opcode::text, "PH") + from_client(Opcode::text, "x"),
         "t:a-value,t:x"},
        {"a long text", from_client(Opcode::text, more_than_whole + "PH"), "t:" + more_than_whole + "PH"},
    };
    for (const auto& test : cases) {
        SCOPED_TRACE(test.sentence);
        for (const auto& pieces : test::partitions(test.input)) {
            auto leg = WebsocketLeg::to_server(counting_masks(), no_limit);
            leg.edit_texts("PH", "a-value");
            const auto passed = pass(leg, pieces);
            EXPECT_FALSE(passed.violation);
            EXPECT_EQ(joined(read_frames(passed.bytes, WebsocketPeer::client)), test.expected);
            EXPECT_TRUE(leg.between_frames());
        }
    }
}

} // namespace
} // namespace aduana::proxy
