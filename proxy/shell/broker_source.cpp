// SPDX-License-Identifier: Apache-2.0
// Without an answer in time there is no credential, and without a credential no request.
#include "proxy/shell/broker_source.hpp"

#include "channel/datagram.hpp"

namespace aduana::proxy {

namespace {

Failure unavailable(std::string detail)
{
    return {policy::Reason::credential_unavailable, Party::broker, std::move(detail)};
}

Failure refusal_of(const broker::CredentialSession::Answer& answer)
{
    const auto* refused = std::get_if<broker::Refused>(&answer);
    if (refused == nullptr)
        return unavailable("the broker answered another question");
    if (refused->code == broker::RefusalCode::foreign_key)
        return {policy::Reason::credential_foreign, Party::client, refused->detail};
    return unavailable(refused->detail);
}

} // namespace

BrokerSource::BrokerSource(const asio::any_io_executor& executor, UniqueFd socket, const Deadlines& deadlines)
    : executor_(executor), deadlines_(deadlines), socket_(executor, socket.release())
{
    error_code ignored;
    socket_.native_non_blocking(true, ignored);
}

asio::awaitable<Outcome<broker::Lease>> BrokerSource::acquire(const broker::Acquire& request)
{
    const auto [id, writer] = session_.acquire(request);
    auto answer = co_await ask(id, writer);
    if (!answer)
        co_return answer.error();
    if (auto* lease = std::get_if<broker::Lease>(&*answer))
        co_return std::move(*lease);
    co_return refusal_of(*answer);
}

asio::awaitable<Outcome<broker::Signed>> BrokerSource::sign(const broker::Sign& request)
{
    const auto [id, writer] = session_.sign(request);
    auto answer = co_await ask(id, writer);
    if (!answer)
        co_return answer.error();
    if (auto* made = std::get_if<broker::Signed>(&*answer))
        co_return std::move(*made);
    co_return refusal_of(*answer);
}

asio::awaitable<Outcome<broker::CredentialSession::Answer>> BrokerSource::ask(std::uint64_t id,
                                                                              const wire::Writer& question)
{
    if (gone_)
        co_return unavailable("the broker is gone");
    Waiting waiting(executor_);
    const auto sent = send_datagram(socket_.native_handle(), question.frame(), {});
    if (!sent)
        co_return unavailable(sent.error().message);
    waiting_.emplace(id, &waiting);
    const bool answered = co_await waiting.signal.wait(deadlines_.lease);
    waiting_.erase(id);
    if (!answered || !waiting.answer)
        co_return unavailable(gone_ ? "the broker is gone" : "the broker did not answer in time");
    co_return std::move(*waiting.answer);
}

void BrokerSource::release(const broker::Release& release)
{
    if (gone_)
        return;
    const auto writer = session_.release(release);
    // A full socket loses it: the lease then ends by its time.
    static_cast<void>(send_datagram(socket_.native_handle(), writer.frame(), {}));
}

asio::awaitable<void> BrokerSource::run()
{
    while (!gone_) {
        auto [error] = co_await socket_.async_wait(asio::posix::stream_descriptor::wait_read, as_result);
        if (error)
            co_return hang_up("the broker's socket cannot be waited for");
        while (!gone_ && receive()) {
        }
    }
}

bool BrokerSource::receive()
{
    auto received = receive_datagram(socket_.native_handle());
    if (!received) {
        hang_up(received.error().message);
        return false;
    }
    if (received->state == ReceiveState::would_block)
        return false;
    if (received->state == ReceiveState::closed) {
        hang_up("the broker has ended");
        return false;
    }
    auto answer = session_.on_datagram(received->datagram.bytes);
    wipe(received->datagram.bytes);
    if (!answer) {
        hang_up(answer.error().message);
        return false;
    }
    // An answer that comes after its deadline finds nobody; the lease is given back by its time.
    if (const auto found = waiting_.find(answer->first); found != waiting_.end()) {
        found->second->answer = std::move(answer->second);
        found->second->signal.notify();
    }
    return true;
}

void BrokerSource::hang_up(std::string_view why)
{
    if (std::exchange(gone_, true))
        return;
    if (told_)
        told_(why);
    error_code ignored;
    socket_.close(ignored);
    for (const auto& [id, waiting] : waiting_)
        waiting->signal.notify();
}

} // namespace aduana::proxy
