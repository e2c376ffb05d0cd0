// SPDX-License-Identifier: Apache-2.0
// WebSockets between two scripted peers: what passes, how they are closed, and what is recorded.
#include "proxy/shell/websocket.hpp"

#include "proxy/shell/nursery.hpp"
#include "tests/support/playbook.hpp"
#include "tests/support/websocket_bytes.hpp"

namespace aduana {
namespace {

using proxy::MaskKey;
using proxy::Opcode;
using proxy::WebsocketPeer;
using test::Fin;
using test::frame;
using test::Playbook;
using test::Script;

const MaskKey mask{'\x12', '\x34', '\x56', '\x78'};
const std::string secret = "s3cret-token-value";
const std::string plain_rule = "allow:\n  - {name: chat, hosts: [api.example.com], scheme: http}\n";
const std::string credential_rule = "allow:\n  - {name: chat, hosts: [api.example.com], credential: token}\n";
const std::string bye = "\x03\xe8"
                        "bye";

std::string from_client(Opcode opcode, std::string_view payload, Fin fin = Fin::last)
{
    return frame(opcode, payload, fin, mask);
}

/// A close frame as the transcripts tell it.
std::string closing(unsigned code, const std::string& reason)
{
    return std::string("X:") + static_cast<char>(code >> 8) + static_cast<char>(code & 0xff) + reason;
}

using Frames = std::vector<std::string>;

class Conversation {
public:
    explicit Conversation(const std::string& rules = plain_rule)
        : play_(rules), client(*play_.client), upstream(play_.upstream())
    {
        task().deadlines.linger = task().deadlines.farewell = std::chrono::milliseconds(10);
    }

    [[nodiscard]] proxy::Task& task() { return play_.task; }

    Conversation& run()
    {
        proxy::Nursery nursery(play_.context.get_executor());
        nursery.spawn(std::make_unique<Worker>(*this));
        while (nursery.size() != 0 && play_.context.run_one_for(std::chrono::seconds(20)) != 0) {
            if (std::exchange(task_ends, false)) {
                task().ending = true;
                nursery.close_all();
            }
        }
        EXPECT_EQ(nursery.size(), 0U) << "somebody still waits";
        EXPECT_TRUE(client.done()) << "the client had more to say";
        EXPECT_TRUE(upstream.done()) << "the upstream had more to say";
        EXPECT_TRUE(client.closed);
        EXPECT_TRUE(upstream.closed);
        return *this;
    }

    [[nodiscard]] Frames client_saw() const { return test::read_frames(client.written, WebsocketPeer::server); }
    [[nodiscard]] Frames upstream_saw() const { return test::read_frames(upstream.written, WebsocketPeer::client); }
    [[nodiscard]] audit::Request record() const
    {
        const auto all = play_.records();
        EXPECT_EQ(all.size(), 1U);
        return all.empty() ? audit::Request{} : all.front();
    }

private:
    Playbook play_;

public:
    Script& client;
    Script& upstream;
    policy::RuleLimits limits;
    std::string read_of_client; ///< with the head of its request
    std::string read_of_upstream;
    bool task_ends = false;

private:
    struct Worker {
        explicit Worker(Conversation& owner)
            : it(owner), stream(owner.play_.client), link(owner.task().executor, stream)
        {
        }
        boost::asio::awaitable<void> run()
        {
            test::ScriptedStream server(it.play_.dialer.upstreams.front());
            proxy::Incoming from_it(stream);
            proxy::Incoming from_server(server);
            from_it.put_back(it.read_of_client);
            from_server.put_back(it.read_of_upstream);
            proxy::AttemptRecord record(it.task(), proxy::WayIn::connect, "websocket");
            co_await proxy::relay_websocket(it.task(), link, from_it, from_server, record,
                                            {it.limits, [] {
                                                 return MaskKey{'\1', '\2', '\3', '\4'};
                                             }});
        }
        void close() { link.close(); }

        Conversation& it;
        test::ScriptedStream stream;
        proxy::Link link;
    };
};

TEST(Websocket, PassesBothWaysUntilBothHaveClosed)
{
    Conversation it;
    it.client.sends(from_client(Opcode::text, "Hel", Fin::more) + from_client(Opcode::ping, "?"))
        .sends(from_client(Opcode::continuation, "lo") + from_client(Opcode::binary, ""), "!")
        .sends(from_client(Opcode::close, bye), "welcome")
        .ends("bye");
    it.upstream.sends(frame(Opcode::pong, "!"), "\x89")
        .sends(frame(Opcode::text, "welcome"), "\x82")
        .sends(frame(Opcode::close, bye), "\x88")
        .ends();
    it.run();
    EXPECT_EQ(it.upstream_saw(), (Frames{"t+:Hel", "P:?", "c:lo", "b:", "X:" + bye}));
    EXPECT_EQ(it.client_saw(), (Frames{"O:!", "t:welcome", "X:" + bye}));
    EXPECT_TRUE(it.client.finished);
    EXPECT_EQ(it.record().reason, "allowed");
    EXPECT_EQ(it.record().error, "");
    EXPECT_EQ(it.record().messages_up, 2U);
    EXPECT_EQ(it.record().messages_down, 1U);
    EXPECT_EQ(it.record().bytes_up, it.upstream.written.size());
    EXPECT_EQ(it.record().bytes_down, it.client.written.size());
}

TEST(Websocket, BeginsWithWhatWasReadWithTheHeads)
{
    Conversation it;
    it.read_of_client = from_client(Opcode::text, "early");
    it.read_of_upstream = frame(Opcode::text, "earlier");
    it.client.sends(from_client(Opcode::close, bye), "earlier").ends("bye");
    it.upstream.sends(frame(Opcode::close, bye), "\x88").ends();
    it.run();
    EXPECT_EQ(it.upstream_saw(), (Frames{"t:early", "X:" + bye}));
    EXPECT_EQ(it.client_saw(), (Frames{"t:earlier", "X:" + bye}));
}

TEST(Websocket, FramesInSmallPiecesAreTheSameFrames)
{
    Conversation it;
    it.client.sends(from_client(Opcode::binary, std::string(70'000, 'a')) + from_client(Opcode::close, ""))
        .in_pieces_of(1000)
        .ends("\x88");
    it.upstream.sends(frame(Opcode::text, "done") + frame(Opcode::close, ""), "\x88").in_pieces_of(1).ends();
    it.run();
    EXPECT_EQ(it.upstream_saw(), (Frames{"b:" + std::string(70'000, 'a'), "X:"}));
    EXPECT_EQ(it.client_saw(), (Frames{"t:done", "X:"}));
}

TEST(Websocket, AnInjectedValueIsFoundWhereverItComesBack)
{
    Conversation it(credential_rule);
    std::vector<Secret> values;
    values.push_back(Secret::copy_of(secret));
    it.task().injected.add(values);
    it.client.sends(from_client(Opcode::text, secret)).sends(from_client(Opcode::close, ""), "end").ends("\x88");
    it.upstream
        .sends(frame(Opcode::text, "a " + secret.substr(0, 6), Fin::more) + frame(Opcode::ping, secret) +
                   frame(Opcode::continuation, secret.substr(6) + " end"),
               "\x81")
        .in_pieces_of(3)
        .sends(frame(Opcode::close, "\x03\xe8" + secret), "\x88")
        .ends();
    it.run();
    EXPECT_EQ(it.client_saw(), (Frames{"t+:a ", "P:[scrubbed]", "c:[scrubbed] end", "X:\x03\xe8[scrubbed]"}));
    EXPECT_EQ(it.upstream_saw().front(), "t:" + secret) << "what the client says is its own";
    EXPECT_EQ(it.record().scrubbed, 3U);
}

TEST(Websocket, AValueThatAnotherRequestInjectsMeanwhileIsFoundToo)
{
    Conversation it(credential_rule);
    it.client.sends(from_client(Opcode::text, "begin"))
        .lets(
            [&it] {
                std::vector<Secret> values;
                values.push_back(Secret::copy_of(secret));
                it.task().injected.add(values);
            },
            secret)
        .sends(from_client(Opcode::text, "again"))
        .sends(from_client(Opcode::close, ""), "scrubbed")
        .ends("\x88");
    it.upstream.sends(frame(Opcode::text, secret), "\x81")
        .sends(frame(Opcode::text, secret), "\x81")
        .sends(frame(Opcode::close, ""), "\x88")
        .ends();
    it.run();
    EXPECT_EQ(it.client_saw(), (Frames{"t:" + secret, "t:[scrubbed]", "X:"}));
}

TEST(Websocket, AClientThatBreaksTheProtocolClosesBothSides)
{
    Conversation it;
    it.client.sends(from_client(Opcode::text, "fine") + frame(Opcode::text, "no mask")).ends("mask");
    it.upstream.ends("\x88");
    it.run();
    const auto told = closing(1002, "a frame of a client without a mask");
    EXPECT_EQ(it.upstream_saw(), (Frames{"t:fine", told}));
    EXPECT_EQ(it.client_saw(), (Frames{told}));
    EXPECT_EQ(it.record().reason, "framing-invalid");
}

TEST(Websocket, AnUpstreamThatBreaksTheProtocolClosesBothSides)
{
    Conversation it;
    it.client.ends("opcode");
    it.upstream.sends(frame(Opcode::text, "fine") + "\x83\x01x").ends("\x88");
    it.run();
    const auto told = closing(1002, "a reserved opcode");
    EXPECT_EQ(it.client_saw(), (Frames{"t:fine", told}));
    EXPECT_EQ(it.upstream_saw(), (Frames{told}));
    EXPECT_EQ(it.record().reason, "upstream-invalid");
}

TEST(Websocket, HttpAfterTheHandshakeReachesNobody)
{
    Conversation it;
    it.client.sends("GET /second HTTP/1.1\r\nHost: api.example.com\r\n\r\n").ends("\x88");
    it.upstream.ends("\x88");
    it.run();
    ASSERT_EQ(it.upstream_saw().size(), 1U);
    EXPECT_TRUE(it.upstream_saw().front().starts_with("X:\x03\xea"));
}

TEST(Websocket, MoreThanTheRuleAllowsIsClosedAsAgainstThePolicy)
{
    Conversation it;
    it.limits.upload = 20;
    it.client.sends(from_client(Opcode::text, "123456789") + from_client(Opcode::text, "123456789")).ends("\x88");
    it.upstream.ends("\x88");
    it.run();
    const auto told = closing(1008, "more bytes than the rule allows");
    EXPECT_EQ(it.upstream_saw(), (Frames{"t:123456789", told}));
    EXPECT_EQ(it.client_saw(), (Frames{told}));
    EXPECT_EQ(it.record().reason, "limit-upload");
}

TEST(Websocket, AFrameThatCanNeverPassIsTooBig)
{
    Conversation it;
    it.limits.download = 20;
    it.client.ends("\x88");
    it.upstream.sends(frame(Opcode::binary, std::string(21, 'x'))).ends("\x88");
    it.run();
    EXPECT_EQ(it.client_saw(), (Frames{closing(1009, "a frame that is larger than the rule allows")}));
    EXPECT_EQ(it.record().reason, "limit-download");
}

TEST(Websocket, ItsDurationIsLimited)
{
    Conversation it;
    it.limits.duration = std::chrono::milliseconds(1);
    it.client.ends("\x88");
    it.upstream.ends("\x88");
    it.run();
    EXPECT_EQ(it.client_saw(), (Frames{closing(1008, "open for longer than the rule allows")}));
    EXPECT_EQ(it.upstream_saw(), it.client_saw());
    EXPECT_EQ(it.record().reason, "limit-duration");
}

TEST(Websocket, SilenceIsLimited)
{
    Conversation it;
    it.limits.idle = std::chrono::milliseconds(1);
    it.client.ends("\x88");
    it.upstream.ends("\x88");
    it.run();
    EXPECT_EQ(it.client_saw(), (Frames{closing(1001, "no byte in either direction for too long")}));
    EXPECT_EQ(it.upstream_saw(), it.client_saw());
    EXPECT_EQ(it.record().error, "no byte in either direction for too long");
}

TEST(Websocket, TheEndOfTheTaskSaysGoodbye)
{
    Conversation it;
    it.client.sends(from_client(Opcode::text, "Hello")).ends("\x88");
    it.upstream.lets([&it] { it.task_ends = true; }, "\x81").ends("\x88");
    it.run();
    const auto told = closing(1001, "the task has ended");
    EXPECT_EQ(it.client_saw(), (Frames{told}));
    EXPECT_EQ(it.upstream_saw(), (Frames{"t:Hello", told}));
    EXPECT_EQ(it.record().reason, "task-ended");
}

TEST(Websocket, TheEndOfTheTaskDoesNotWaitForPeersThatStayLonger)
{
    Conversation it;
    it.client.sends(from_client(Opcode::text, "Hello"));
    it.upstream.lets([&it] { it.task_ends = true; }, "\x81");
    it.run();
    EXPECT_EQ(it.client_saw(), (Frames{closing(1001, "the task has ended")}));
}

TEST(Websocket, NoCloseFrameIsPutIntoAnotherFrame)
{
    Conversation it;
    it.client.sends(from_client(Opcode::binary, std::string(1000, 'a')).substr(0, 500)).ends("opcode");
    it.upstream.sends("\x83\x01x", "\x82").ends();
    it.run();
    EXPECT_EQ(it.client_saw(), (Frames{closing(1002, "a reserved opcode")}));
    EXPECT_EQ(it.upstream_saw(), Frames());
    EXPECT_EQ(it.upstream.written.size(), 500U) << "what would follow is read as payload";
}

TEST(Websocket, APeerThatGoesAwayTakesTheOtherAlongWithoutAWord)
{
    for (const bool client_goes : {true, false}) {
        Conversation it;
        if (client_goes)
            it.client.breaks_off();
        else
            it.client.ends("last");
        if (client_goes)
            it.upstream.sends("");
        else
            it.upstream.sends(frame(Opcode::text, "last")).breaks_off();
        it.run();
        EXPECT_EQ(client_goes ? it.upstream_saw() : it.client_saw(), client_goes ? Frames() : Frames{"t:last"});
        EXPECT_EQ(it.record().error, client_goes ? "the client closed without a close frame"
                                                 : "the upstream closed without a close frame");
        EXPECT_EQ(it.record().reason, "allowed");
    }
}

TEST(Websocket, ACloseThatIsNotAnsweredEndsAllTheSame)
{
    Conversation it;
    it.client.sends(from_client(Opcode::close, bye));
    it.upstream.sends(frame(Opcode::text, "still here"), "\x88");
    it.run();
    EXPECT_EQ(it.upstream_saw(), (Frames{"X:" + bye}));
    EXPECT_EQ(it.client_saw(), (Frames{"t:still here"}));
    EXPECT_EQ(it.record().error, "");
}

TEST(Websocket, AnUpstreamThatListensNoMoreIsHeardToItsEnd)
{
    Conversation it;
    it.upstream.refuses_writes();
    it.client.sends(from_client(Opcode::text, "Hello")).ends("bye");
    it.upstream.sends(frame(Opcode::text, "too late") + frame(Opcode::close, bye)).in_pieces_of(2).ends();
    it.run();
    EXPECT_EQ(it.client_saw(), (Frames{"t:too late", "X:" + bye}));
}

} // namespace
} // namespace aduana
