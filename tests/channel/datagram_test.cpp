// SPDX-License-Identifier: Apache-2.0
// Datagrams with descriptors over real socket pairs.
#include "channel/datagram.hpp"

#include "policy/base/wire.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <array>
#include <cstring>
#include <filesystem>

namespace aduana {
namespace {

struct Pair {
    UniqueFd near;
    UniqueFd far;
};

Pair make_pair()
{
    auto made = datagram_pair();
    EXPECT_TRUE(made);
    return Pair{std::move(made->first), std::move(made->second)};
}

std::size_t open_descriptors()
{
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
        ++count;
    return count;
}

/// What a peer could send that send_datagram() refuses to.
void send_raw(int socket, std::string_view bytes, const std::vector<int>& descriptors)
{
    std::string copy(bytes);
    iovec part{copy.data(), copy.size()};
    std::vector<char> control(CMSG_SPACE(descriptors.size() * sizeof(int)));
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (!descriptors.empty()) {
        message.msg_control = control.data();
        message.msg_controllen = control.size();
        cmsghdr* const rights = CMSG_FIRSTHDR(&message);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(descriptors.size() * sizeof(int));
        std::memcpy(CMSG_DATA(rights), descriptors.data(), descriptors.size() * sizeof(int));
    }
    ASSERT_EQ(::sendmsg(socket, &message, MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size())) << std::strerror(errno);
}

TEST(Datagram, ArrivesWhole)
{
    const Pair pair = make_pair();
    for (const std::size_t size : {1UL, 1000UL, wire::max_frame}) {
        SCOPED_TRACE(size);
        const std::string bytes(size, 'x');
        ASSERT_TRUE(send_datagram(pair.near.get(), bytes, {}));
        const auto received = receive_datagram(pair.far.get());
        ASSERT_TRUE(received);
        EXPECT_EQ(received->state, ReceiveState::received);
        EXPECT_EQ(received->datagram.bytes, bytes);
        EXPECT_TRUE(received->datagram.descriptors.empty());
    }
}

TEST(Datagram, KeepsItsBorders)
{
    const Pair pair = make_pair();
    ASSERT_TRUE(send_datagram(pair.near.get(), "one", {}));
    ASSERT_TRUE(send_datagram(pair.near.get(), "two", {}));
    EXPECT_EQ(receive_datagram(pair.far.get())->datagram.bytes, "one");
    EXPECT_EQ(receive_datagram(pair.far.get())->datagram.bytes, "two");
}

TEST(Datagram, CarriesDescriptorsInOrderAndCloseOnExec)
{
    const Pair pair = make_pair();
    int pipe_ends[2];
    ASSERT_EQ(::pipe2(pipe_ends, O_CLOEXEC), 0);
    const UniqueFd read_end(pipe_ends[0]);
    const UniqueFd write_end(pipe_ends[1]);
    ASSERT_TRUE(send_datagram(pair.near.get(), "x", {write_end.get(), read_end.get()}));

    const auto received = receive_datagram(pair.far.get());
    ASSERT_TRUE(received);
    ASSERT_EQ(received->datagram.descriptors.size(), 2U);
    const int write_copy = received->datagram.descriptors[0].get();
    const int read_copy = received->datagram.descriptors[1].get();
    EXPECT_TRUE(::fcntl(write_copy, F_GETFD) & FD_CLOEXEC);
    ASSERT_EQ(::write(write_copy, "!", 1), 1);
    char byte = 0;
    ASSERT_EQ(::read(read_copy, &byte, 1), 1);
    EXPECT_EQ(byte, '!');
}

TEST(Datagram, CarriesAtMost64Descriptors)
{
    const Pair pair = make_pair();
    ASSERT_TRUE(send_datagram(pair.near.get(), "x", std::vector<int>(max_descriptors, pair.near.get())));
    EXPECT_EQ(receive_datagram(pair.far.get())->datagram.descriptors.size(), max_descriptors);
    EXPECT_EQ(
        send_datagram(pair.near.get(), "x", std::vector<int>(max_descriptors + 1, pair.near.get())).error().message,
        "datagram: 65 descriptors to send; 64 are possible");
}

TEST(Datagram, OfAHostilePeerIsAnErrorAndLeaksNoDescriptor)
{
    const Pair pair = make_pair();
    for (const std::size_t count : {65UL, 70UL, 100UL, 253UL}) {
        SCOPED_TRACE(count);
        const std::size_t before = open_descriptors();
        send_raw(pair.near.get(), "x", std::vector<int>(count, pair.near.get()));
        EXPECT_FALSE(receive_datagram(pair.far.get()));
        EXPECT_EQ(open_descriptors(), before);
    }
}

TEST(Datagram, LongerThanAFrameIsAnError)
{
    const Pair pair = make_pair();
    send_raw(pair.near.get(), std::string(wire::max_frame + 1, 'x'), {});
    const auto received = receive_datagram(pair.far.get());
    ASSERT_FALSE(received);
    EXPECT_EQ(received.error().message, "datagram: 262145 bytes arrived; at most 262144 are accepted");
}

TEST(Datagram, IsNotSentEmptyOrTooLong)
{
    const Pair pair = make_pair();
    EXPECT_FALSE(send_datagram(pair.near.get(), "", {}));
    EXPECT_FALSE(send_datagram(pair.near.get(), std::string(wire::max_frame + 1, 'x'), {}));
}

TEST(Datagram, OfNoBytesMeansClosed)
{
    const Pair pair = make_pair();
    send_raw(pair.near.get(), "", {});
    EXPECT_EQ(receive_datagram(pair.far.get())->state, ReceiveState::closed);
}

TEST(Datagram, TellsAnEmptyQueueFromAClosedPeer)
{
    Pair pair = make_pair();
    ASSERT_EQ(::fcntl(pair.far.get(), F_SETFL, O_NONBLOCK), 0);
    EXPECT_EQ(receive_datagram(pair.far.get())->state, ReceiveState::would_block);
    ASSERT_TRUE(send_datagram(pair.near.get(), "last", {}));
    pair.near.reset();
    EXPECT_EQ(receive_datagram(pair.far.get())->datagram.bytes, "last");
    EXPECT_EQ(receive_datagram(pair.far.get())->state, ReceiveState::closed);
}

TEST(Datagram, UnreadByAPeerThatClosedMeansClosed)
{
    Pair pair = make_pair();
    ASSERT_TRUE(send_datagram(pair.near.get(), "never read", {}));
    pair.far.reset();
    EXPECT_EQ(receive_datagram(pair.near.get())->state, ReceiveState::closed);
}

TEST(Datagram, ToAClosedPeerIsAnErrorWithoutASignal)
{
    Pair pair = make_pair();
    pair.far.reset();
    EXPECT_EQ(send_datagram(pair.near.get(), "x", {}).error().message, "datagram: cannot send: Broken pipe");
}

TEST(Datagram, OnSomethingElseThanASocketIsAnError)
{
    const UniqueFd file(::open("/dev/null", O_RDWR | O_CLOEXEC));
    EXPECT_FALSE(send_datagram(file.get(), "x", {}));
    EXPECT_FALSE(receive_datagram(file.get()));
}

TEST(DatagramPair, ClosesOnExec)
{
    const Pair pair = make_pair();
    EXPECT_TRUE(::fcntl(pair.near.get(), F_GETFD) & FD_CLOEXEC);
    EXPECT_TRUE(::fcntl(pair.far.get(), F_GETFD) & FD_CLOEXEC);
}

} // namespace
} // namespace aduana
