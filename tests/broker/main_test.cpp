// SPDX-License-Identifier: Apache-2.0
// The real program over real sockets: it serves, it gives its rights away, it ends when it should, and it tells nothing.
#include "tests/broker/broker_process.hpp"
#include "tests/broker/samples.hpp"

#include <sys/socket.h>
#include <sys/stat.h>

#include <filesystem>
#include <regex>

namespace aduana::broker {
namespace {

#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

Result<TaskOpened> open_task(const ServingBroker& broker)
{
    const auto credentials = memory_file(samples::credentials_text);
    const auto policy = memory_file(samples::policy_text);
    const auto issues = memory_file(std::string(samples::issues_value) + "\n");
    return broker.client->open(samples::task_open(), {credentials.get(), policy.get(), issues.get()});
}

TEST(BrokerProgram, ServesATaskFromOpenToClose)
{
    ServingBroker broker;
    const auto opened = open_task(broker);
    ASSERT_TRUE(opened) << describe(opened.error()) << broker.process->output();
    EXPECT_EQ(opened->placeholders.size(), 3U);

    const auto request = samples::issues_request(opened->handle);
    const auto first = broker.lease(request);
    ASSERT_EQ(first.fields.size(), 1U);
    EXPECT_EQ(first.fields[0].value.reveal(), "Bearer " + std::string(samples::issues_value));
    EXPECT_TRUE(first.fresh);
    EXPECT_EQ(broker.lease(request).uses_left, 1U);
    EXPECT_EQ(broker.lease(request).uses_left, 0U);
    const auto next = broker.lease(request);
    EXPECT_EQ(next.generation, 2U);
    for (int use = 0; use < 3; ++use)
        broker.send(Release{opened->handle, first.id});

    const auto npm =
        broker.lease({opened->handle, "npm", "npm.example.com", 443, "npm.example.com", "GET", "/left-pad"});
    ASSERT_EQ(npm.scrub.size(), 2U);
    EXPECT_EQ(npm.fields.at(0).value.reveal(), "Basic " + std::string(npm.scrub[1].reveal()));

    const auto closed = broker.client->close({opened->handle});
    ASSERT_TRUE(closed);
    EXPECT_EQ(closed->revoked, (std::vector<RevokedLease>{{next.id, next.credential}, {npm.id, npm.credential}}));
    broker.client.reset();
    EXPECT_EQ(broker.process->wait(), 0);
    EXPECT_EQ(broker.process->output(), "");
}

TEST(BrokerProgram, RefusesAndKeepsServing)
{
    ServingBroker broker;
    const auto opened = open_task(broker);
    ASSERT_TRUE(opened);
    auto request = samples::issues_request(opened->handle);
    request.host = request.verified_name = "evil.test";
    broker.send(request);
    const auto refused = broker.next_reply();
    ASSERT_TRUE(refused);
    EXPECT_EQ(std::get<Refused>(refused->message).code, RefusalCode::destination_not_bound);
    EXPECT_TRUE(broker.lease(samples::issues_request(opened->handle)).fresh);
}

TEST(BrokerProgram, TellsTheMistakesOfABrokenFile)
{
    ServingBroker broker;
    const auto credentials = memory_file("version: 1\ncredentials: 7\n");
    const auto policy = memory_file("version: 1\nallow: 7\n");
    const auto opened = broker.client->open(samples::task_open(), {credentials.get(), policy.get(), policy.get()});
    ASSERT_FALSE(opened);
    EXPECT_NE(opened.error().message.find("credentials.yaml:2:"), std::string::npos) << opened.error().message;
    EXPECT_NE(opened.error().message.find("policy.yaml:2:"), std::string::npos) << opened.error().message;
    const auto short_of_files = broker.client->open(samples::task_open(), {credentials.get(), policy.get()});
    ASSERT_FALSE(short_of_files);
    EXPECT_EQ(short_of_files.error().message, "TaskOpen came with 2 descriptors instead of 3");
    EXPECT_TRUE(open_task(broker)) << "and the next task can be opened";
}

TEST(BrokerProgram, HasGivenItsRightsAway)
{
    ServingBroker broker;
    ASSERT_TRUE(open_task(broker));
    const auto status = broker.process->proc("status");
    if (!sanitized) {
        EXPECT_NE(status.find("Seccomp:\t2"), std::string::npos) << status;
    }
    EXPECT_NE(status.find("CapEff:\t0000000000000000"), std::string::npos) << status;
    EXPECT_EQ(status.find("Uid:\t0"), std::string::npos) << status;
    // The kernel gives /proc/PID/mem of a process that forbids dumps to root.
    struct stat memory {};
    ASSERT_EQ(::stat(("/proc/" + std::to_string(broker.process->pid()) + "/mem").c_str(), &memory), 0);
    EXPECT_EQ(memory.st_uid, 0U);
    // 0 where whoever starts it has 0 and no right to raise it.
    EXPECT_TRUE(std::regex_search(broker.process->proc("limits"), std::regex("Max core file size +[01] +[01] ")));
}

TEST(BrokerProgram, KeepsOnlyItsTwoSocketsAndTheStandardDescriptors)
{
    if (::getuid() != 0)
        GTEST_SKIP() << "only root can look at the descriptors of a process that forbids dumps";
    ServingBroker broker;
    const auto opened = open_task(broker);
    ASSERT_TRUE(opened);
    // Files of a TaskOpen are closed after its reply: once it has answered another message, they are.
    (void)broker.lease(samples::issues_request(opened->handle));
    const auto folder = "/proc/" + std::to_string(broker.process->pid()) + "/";
    int sockets = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder + "fd")) {
        const auto number = std::stoi(entry.path().filename());
        const auto target = std::filesystem::read_symlink(entry.path()).string();
        sockets += target.starts_with("socket:") ? 1 : 0;
        EXPECT_TRUE(number <= 2 || target.starts_with("socket:")) << number << " -> " << target;
    }
    EXPECT_EQ(sockets, 2);
    EXPECT_EQ(std::filesystem::read_symlink(folder + "cwd"), "/");
}

TEST(BrokerProgram, NoValueIsInItsOutputEnvironmentOrArguments)
{
    ServingBroker broker;
    const auto opened = open_task(broker);
    ASSERT_TRUE(opened);
    (void)broker.lease(samples::issues_request(opened->handle));
    broker.send(Release{opened->handle, "unknown"});
    const auto bad = memory_file("sesame\x01opens-the-door");
    const auto credentials = memory_file(samples::credentials_text);
    const auto policy = memory_file(samples::policy_text);
    const auto refused = broker.client->open(samples::task_open(), {credentials.get(), policy.get(), bad.get()});
    ASSERT_FALSE(refused);
    const auto seen = broker.process->output() + broker.process->proc("environ") + broker.process->proc("cmdline") +
                      refused.error().message;
    EXPECT_NE(seen.find("--control-fd"), std::string::npos) << "cmdline could not be read";
    for (const auto value : {samples::issues_value, samples::npm_value, std::string_view("sesame")})
        EXPECT_EQ(seen.find(value), std::string::npos);
}

TEST(BrokerProgram, AProxyThatBreaksTheRulesLosesItsSocketOnly)
{
    ServingBroker broker;
    const auto opened = open_task(broker);
    ASSERT_TRUE(opened);
    broker.send(TaskClose{opened->handle});
    const auto reply = broker.next_reply();
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().message, "aduana-broker has ended or closed its socket");
    EXPECT_TRUE(broker.client->close({opened->handle})) << "the control socket still works";
    EXPECT_EQ(broker.process->output(), "aduana: broker: the proxy peer sent TaskClose, which it may not send now; its "
                                        "socket is closed: the task gets no more credentials\n");
}

TEST(BrokerProgram, AProxyThatSendsGarbageOrDescriptorsLosesItsSocket)
{
    const auto file = memory_file(samples::policy_text);
    TaskOpen opening;
    const auto frame = std::string(encode_open(opening, 1).frame());
    struct Case {
        std::string bytes;
        std::vector<int> descriptors;
        std::string complaint;
    };
    const std::vector<Case> cases = {
        {"garbage", {}, "the proxy peer sent a bad frame: frame without a valid header"},
        {frame, {file.get(), file.get()}, "the proxy peer sent descriptors with TaskOpen"},
    };
    for (const auto& test : cases) {
        SCOPED_TRACE(test.complaint);
        ServingBroker broker;
        ASSERT_TRUE(open_task(broker));
        ASSERT_TRUE(send_datagram(broker.proxy_end.get(), test.bytes, test.descriptors));
        EXPECT_FALSE(broker.next_reply());
        EXPECT_NE(broker.process->output().find(test.complaint), std::string::npos) << broker.process->output();
    }
}

TEST(BrokerProgram, AControlPeerThatBreaksTheRulesEndsIt)
{
    ServingBroker broker;
    ASSERT_TRUE(open_task(broker));
    ASSERT_TRUE(send_datagram(broker.client->fd(), encode(Message(Release{"h", "l"}), 9).frame(), {}));
    EXPECT_EQ(broker.process->wait(), 1);
    EXPECT_EQ(broker.process->output(), "aduana: broker: the control peer sent Release, which it may not send now\n");
}

TEST(BrokerProgram, AProxyThatDoesNotReadDoesNotStopTheOthers)
{
    ServingBroker broker;
    const auto opened = open_task(broker);
    ASSERT_TRUE(opened);
    const auto flags = ::fcntl(broker.proxy_end.get(), F_GETFL);
    ASSERT_EQ(::fcntl(broker.proxy_end.get(), F_SETFL, flags | O_NONBLOCK), 0);
    const auto frame = encode(Message(samples::issues_request(opened->handle)), 1);
    // Until both directions are full; the broker works while this loop runs, so it may take some more.
    int sent = 0;
    while (sent < 100000 && send_datagram(broker.proxy_end.get(), frame.frame(), {}))
        ++sent;
    EXPECT_TRUE(open_task(broker)) << "another task can be opened meanwhile";
    for (int reply = 0; reply < sent; ++reply)
        ASSERT_TRUE(broker.next_reply()) << "reply " << reply << " of " << sent;
}

TEST(BrokerProgram, AProxyThatEndsDoesNotEndIt)
{
    ServingBroker broker;
    const auto opened = open_task(broker);
    ASSERT_TRUE(opened);
    broker.proxy_end.reset();
    EXPECT_TRUE(broker.client->close({opened->handle}));
    broker.client.reset();
    EXPECT_EQ(broker.process->wait(), 0);
}

TEST(BrokerProgram, TheTerminalsSignalsDoNotEndIt)
{
    ServingBroker broker;
    const auto opened = open_task(broker);
    ASSERT_TRUE(opened);
    for (const int terminal : {SIGINT, SIGQUIT, SIGHUP})
        broker.process->signal(terminal);
    EXPECT_TRUE(broker.lease(samples::issues_request(opened->handle)).fresh);
    EXPECT_EQ(broker.process->kill_and_wait(SIGTERM), 128 + SIGTERM);
}

TEST(BrokerProgram, AfterAKillTheClientSaysWhoIsGone)
{
    ServingBroker broker;
    const auto opened = open_task(broker);
    ASSERT_TRUE(opened);
    EXPECT_EQ(broker.process->kill_and_wait(SIGKILL), 128 + SIGKILL);
    const auto closed = broker.client->close({opened->handle});
    ASSERT_FALSE(closed);
    EXPECT_NE(closed.error().message.find("aduana-broker"), std::string::npos);
    EXPECT_FALSE(broker.next_reply());
}

TEST(BrokerProgram, RefusesToRunAsRoot)
{
    if (::getuid() != 0)
        GTEST_SKIP() << "only root can try to run it as root";
    BrokerProcess process({"--control-fd", "3", "--proxy-fd", "4"}, {}, RunAs::caller);
    EXPECT_EQ(process.wait(), 1);
    EXPECT_EQ(process.output(), "aduana: broker: aduana-broker refuses to run as root; aduana-broker is started by "
                                "`aduana`, not by hand\n");
}

TEST(BrokerProgram, LooksAtItsDescriptorsBeforeItUsesThem)
{
    const auto file = memory_file("");
    auto pair = datagram_pair();
    ASSERT_TRUE(pair);
    int stream[2] = {-1, -1};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, stream), 0);
    const UniqueFd near(stream[0]);
    const UniqueFd far(stream[1]);
    struct Case {
        int control;
        int proxy;
        std::string complaint;
    };
    const auto text = [](int fd) { return std::to_string(fd); };
    const std::vector<Case> cases = {
        {file.get(), pair->first.get(), "--control-fd: descriptor " + text(file.get()) + " is not an open socket"},
        {pair->first.get(), 900, "--proxy-fd: descriptor 900 is not an open socket"},
        {pair->first.get(), near.get(),
         "--proxy-fd: descriptor " + text(near.get()) + " is not a SEQPACKET pair's end"},
        {pair->first.get(), pair->first.get(),
         "the descriptors of the broker's sockets must be different ones above 2"},
        {1, pair->first.get(), "the descriptors of the broker's sockets must be different ones above 2"},
    };
    for (const auto& test : cases) {
        SCOPED_TRACE(test.complaint);
        BrokerProcess process({"--control-fd", text(test.control), "--proxy-fd", text(test.proxy)},
                              {file.get(), pair->first.get(), near.get()});
        EXPECT_EQ(process.wait(), 1);
        EXPECT_NE(process.output().find("aduana: broker: " + test.complaint), std::string::npos) << process.output();
    }
}

TEST(BrokerProgram, WrongArgumentsPrintTheUsage)
{
    const std::vector<std::vector<std::string>> wrong = {
        {},
        {"--control-fd", "3"},
        {"--control-fd", "3", "--proxy-fd", "x"},
        {"--control-fd", "3", "--proxy-fd", "-1"},
        {"--control-fd", "3", "--proxy-fd", "4", "more"},
        {"--secret", "value"},
    };
    for (const auto& arguments : wrong) {
        SCOPED_TRACE(testing::PrintToString(arguments));
        BrokerProcess process(arguments, {});
        EXPECT_EQ(process.wait(), 2);
        EXPECT_NE(process.output().find("usage: aduana-broker"), std::string::npos);
    }
    BrokerProcess help({"--help"}, {});
    EXPECT_EQ(help.wait(), 0);
    EXPECT_NE(help.output().find("example: aduana-broker"), std::string::npos);
}

} // namespace
} // namespace aduana::broker
