// SPDX-License-Identifier: Apache-2.0
// Ids count up from 1: a lower one is late, a higher one was never given out.
#include "channel/dialogue.hpp"

#include "policy/base/secret.hpp"

namespace aduana {

namespace {

constexpr std::uint64_t unasked_id = 0;

} // namespace

Dialogue::Dialogue(UniqueFd socket, std::string_view peer, std::chrono::milliseconds deadline)
    : socket_(std::move(socket)), peer_(peer), deadline_(deadline)
{
}

Result<Datagram> Dialogue::ask(const wire::Writer& request, const std::vector<int>& descriptors,
                               std::string_view too_long, const Unasked& unasked)
{
    const auto id = next_request_++;
    if (request.frame().empty())
        return Error{"the request to " + std::string(peer_) + " is longer than one message (256 KiB)",
                     std::string(too_long)};
    const auto deadline = std::chrono::steady_clock::now() + deadline_;
    if (const auto sent = send_by(deadline, socket_.get(), peer_, request.frame(), descriptors); !sent)
        return sent.error();
    return answer_to(id, deadline, unasked);
}

Result<Datagram> Dialogue::answer_to(std::uint64_t id, Deadline deadline, const Unasked& unasked)
{
    for (;;) {
        auto datagram = receive_by(deadline, socket_.get(), peer_);
        if (!datagram)
            return datagram.error();
        const wire::Reader reader(datagram->bytes);
        if (reader.failed())
            return bad_frame({"frame without a valid header"});
        const auto answered = reader.header().request;
        if (answered == id)
            return std::move(*datagram);
        if (answered > id)
            return Error{std::string(peer_) + " answered a request that was never sent"};
        const auto taken = answered == unasked_id && unasked ? unasked(*datagram) : Result<Ok>(Ok{});
        wipe(datagram->bytes);
        if (!taken)
            return taken.error();
    }
}

Result<Ok> Dialogue::tell(const wire::Writer& message)
{
    ++next_request_;
    return send_by(std::chrono::steady_clock::now() + deadline_, socket_.get(), peer_, message.frame(), {});
}

Result<Datagram> Dialogue::hear()
{
    return receive_by(std::chrono::steady_clock::now() + deadline_, socket_.get(), peer_);
}

Error Dialogue::bad_frame(const Error& error) const
{
    return {std::string(peer_) + " sent a bad frame: " + error.message, error.remedy};
}

Error Dialogue::unexpected(std::string_view message) const
{
    return {std::string(peer_) + " answered with " + std::string(message),
            "are aduana and " + std::string(peer_) + " of the same version?"};
}

} // namespace aduana
