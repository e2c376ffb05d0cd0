// SPDX-License-Identifier: Apache-2.0
// sendmsg(2) and recvmsg(2) with SCM_RIGHTS; whatever arrives has an owner before anything is judged.
#include "channel/datagram.hpp"

#include "policy/base/secret.hpp"
#include "policy/base/wire.hpp"

#include <sys/socket.h>
#include <sys/types.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace aduana {
namespace {

constexpr std::size_t rights_space = CMSG_SPACE(max_descriptors * sizeof(int));
/// The sender's credentials come along where the socket asks for them (SO_PASSCRED): they must not crowd out rights.
constexpr std::size_t control_space = rights_space + CMSG_SPACE(3 * sizeof(int));

Error socket_error(const char* what)
{
    return Error{std::string("datagram: ") + what + ": " + std::strerror(errno)};
}

template <class Call>
ssize_t retry(const Call& call)
{
    ssize_t result = call();
    while (result < 0 && errno == EINTR)
        result = call();
    return result;
}

std::vector<UniqueFd> take_descriptors(msghdr& message)
{
    std::vector<UniqueFd> descriptors;
    descriptors.reserve(max_descriptors + 1);
    for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr; part = CMSG_NXTHDR(&message, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS)
            continue;
        const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; ++i) {
            int fd = -1;
            std::memcpy(&fd, CMSG_DATA(part) + i * sizeof(int), sizeof(int));
            descriptors.emplace_back(fd);
        }
    }
    return descriptors;
}

/// What recv(2) could not give: nothing yet, nothing ever again, or an error.
Result<Received> without_datagram(const char* what)
{
    if (errno == EAGAIN || errno == EWOULDBLOCK)
        return Received{ReceiveState::would_block, {}};
    if (errno == ECONNRESET) // the peer closed with datagrams of ours unread
        return Received{ReceiveState::closed, {}};
    return socket_error(what);
}

} // namespace

Result<Ok> send_datagram(int socket, std::string_view bytes, const std::vector<int>& descriptors)
{
    if (bytes.empty() || bytes.size() > wire::max_frame)
        return Error{"datagram: " + std::to_string(bytes.size()) + " bytes to send; 1 to 262144 are possible"};
    if (descriptors.size() > max_descriptors)
        return Error{"datagram: " + std::to_string(descriptors.size()) + " descriptors to send; 64 are possible"};

    iovec part{const_cast<char*>(bytes.data()), bytes.size()}; // sendmsg(2) only reads it
    alignas(cmsghdr) std::array<char, rights_space> control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (!descriptors.empty()) {
        message.msg_control = control.data();
        message.msg_controllen = CMSG_SPACE(descriptors.size() * sizeof(int));
        cmsghdr* const rights = CMSG_FIRSTHDR(&message);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(descriptors.size() * sizeof(int));
        std::memcpy(CMSG_DATA(rights), descriptors.data(), descriptors.size() * sizeof(int));
    }
    if (retry([&] { return ::sendmsg(socket, &message, MSG_NOSIGNAL); }) < 0)
        return socket_error("cannot send");
    return Ok{};
}

Result<Received> receive_datagram(int socket)
{
    // The length first: a fixed buffer would cost 256 KiB of zeroing for every small datagram.
    const ssize_t length = retry([&] { return ::recv(socket, nullptr, 0, MSG_PEEK | MSG_TRUNC); });
    if (length < 0)
        return without_datagram("cannot receive");
    if (length == 0)
        return Received{ReceiveState::closed, {}};
    if (static_cast<std::size_t>(length) > wire::max_frame)
        return Error{"datagram: " + std::to_string(length) + " bytes arrived; at most 262144 are accepted"};

    Received received{ReceiveState::received, {}};
    std::string& bytes = received.datagram.bytes;
    bytes.resize(static_cast<std::size_t>(length));
    iovec part{bytes.data(), bytes.size()};
    alignas(cmsghdr) std::array<char, control_space> control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t size = retry([&] { return ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC); });
    if (size < 0)
        return without_datagram("cannot receive");
    received.datagram.descriptors = take_descriptors(message);
    if (size == 0)
        return Received{ReceiveState::closed, {}};
    const bool cut = size != length || (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0;
    if (cut || received.datagram.descriptors.size() > max_descriptors) {
        wipe(bytes);
        return Error{"datagram: more arrived than is accepted (bytes, or over 64 descriptors)"};
    }
    return received;
}

Result<std::pair<UniqueFd, UniqueFd>> datagram_pair()
{
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return socket_error("cannot make a socket pair");
    std::pair<UniqueFd, UniqueFd> pair{UniqueFd(ends[0]), UniqueFd(ends[1])};
    // The default send buffer of 208 KiB refuses a frame of full length; the kernel doubles what is asked for.
    const int room = static_cast<int>(wire::max_frame);
    for (const int end : ends)
        if (::setsockopt(end, SOL_SOCKET, SO_SNDBUF, &room, sizeof room) != 0)
            return socket_error("cannot size a socket pair");
    return pair;
}

} // namespace aduana
