// SPDX-License-Identifier: Apache-2.0
// One message after the other; a message that nobody may send ends the conversation, and with it every task.
#include "proxy/shell/control_server.hpp"

#include "policy/base/secret.hpp"
#include "proxy/control/codec.hpp"

#include <boost/asio/io_context.hpp>

#include <cstdlib>

namespace aduana::proxy {

namespace {

/// The broker outlives its loop: requests may still ask it, and are told that it is gone.
struct BrokerLoop {
    explicit BrokerLoop(BrokerSource& broker) : source(broker) {}
    asio::awaitable<void> run() { co_await source.run(); }
    void close() { source.close(); }
    BrokerSource& source;
};

constexpr std::size_t task_files = 4; ///< policy, journal, journal head, extra CA bundle

/// Between two looks at what should have ended.
constexpr std::chrono::seconds patience{1};

control::Failed failed(const Error& error)
{
    return {error.message, error.remedy};
}

} // namespace

ControlServer::ControlServer(const asio::any_io_executor& executor, UniqueFd socket)
    : executor_(executor), socket_(executor, socket.release()), helpers_(executor)
{
    error_code ignored;
    socket_.native_non_blocking(true, ignored);
}

asio::awaitable<void> ControlServer::run()
{
    for (bool open = true; open;) {
        auto [error] = co_await socket_.async_wait(asio::posix::stream_descriptor::wait_read, as_result);
        if (error)
            break;
        auto received = receive_datagram(socket_.native_handle());
        if (!received) {
            diagnostics::fail(received.error().message);
            break;
        }
        if (received->state == ReceiveState::would_block)
            continue;
        if (received->state == ReceiveState::closed)
            break;
        open = co_await handle(std::move(received->datagram));
    }
    for (const auto& [name, task] : tasks_)
        task->journal().commit();
}

asio::awaitable<void> ControlServer::end()
{
    while (!tasks_.empty()) {
        auto task = std::move(tasks_.extract(tasks_.begin()).mapped());
        co_await task->close({.task = task->task().name, .exit_status = 137, .cause = "killed", .limits_hit = {}});
        closed_.push_back(std::move(task));
    }
    if (broker_)
        broker_->close();
    while (helpers_.size() != 0)
        co_await helpers_.emptied(patience);
    for (const auto& task : closed_)
        while (!task->over())
            co_await task->emptied(patience);
}

asio::awaitable<bool> ControlServer::handle(Datagram datagram)
{
    auto decoded = control::decode(datagram.bytes);
    wipe(datagram.bytes);
    if (!decoded) {
        diagnostics::fail("control: " + decoded.error().message);
        co_return false;
    }
    prune();
    if (auto* request = std::get_if<control::TaskOpen>(&decoded->message)) {
        auto answer = open(*request, std::move(datagram.descriptors));
        wipe(request->journal_key_seed);
        co_await reply(std::move(answer), decoded->request);
        co_return true;
    }
    if (auto* request = std::get_if<control::TaskStop>(&decoded->message)) {
        auto answer = co_await stop(std::move(*request));
        co_await reply(std::move(answer), decoded->request);
        co_return true;
    }
    if (auto* request = std::get_if<control::TaskClose>(&decoded->message)) {
        auto answer = co_await close(std::move(*request));
        co_await reply(std::move(answer), decoded->request);
        co_return true;
    }
    if (const auto* event = std::get_if<control::Note>(&decoded->message)) {
        note(*event);
        co_return true;
    }
    diagnostics::fail("control: a message that only the proxy may send");
    co_return false;
}

control::Message ControlServer::open(const control::TaskOpen& request, std::vector<UniqueFd> descriptors)
{
    const auto expected = task_files + (request.with_broker ? 1 : 0) + request.listeners.size();
    if (descriptors.size() != expected)
        return failed({"task " + request.task + ": " + std::to_string(descriptors.size()) + " descriptors came, " +
                       std::to_string(expected) + " are needed"});
    if (tasks_.contains(request.task))
        return failed({"a task of the name " + request.task + " is open already", "give another --task"});

    auto next = descriptors.begin() + task_files;
    if (request.with_broker) {
        if (broker_)
            return failed({"a broker socket came twice"});
        broker_ = std::make_unique<BrokerSource>(executor_, std::move(*next++), Deadlines{});
        broker_->on_loss([this](std::string_view why) { broker_lost(why); });
        helpers_.spawn(std::make_unique<BrokerLoop>(*broker_));
    }
    TaskDescriptors files{
        std::move(descriptors[0]), std::move(descriptors[1]), std::move(descriptors[2]), std::move(descriptors[3]), {}};
    files.listeners.assign(std::make_move_iterator(next), std::make_move_iterator(descriptors.end()));
    auto task = ServedTask::open(executor_, request, std::move(files), broker_.get());
    if (!task)
        return failed(task.error());
    auto& opened = *tasks_.emplace(request.task, std::move(*task)).first->second;
    opened.task().on_line = [this, &opened] { send_lines(opened.task()); };
    return control::TaskOpened{opened.ca_certificate()};
}

asio::awaitable<control::Message> ControlServer::stop(control::TaskStop request)
{
    const auto found = tasks_.find(request.task);
    if (found == tasks_.end())
        co_return failed({"no task of the name " + request.task + " is open"});
    co_await found->second->stop();
    co_return control::TaskStopped{};
}

asio::awaitable<control::Message> ControlServer::close(control::TaskClose request)
{
    const auto found = tasks_.find(request.task);
    if (found == tasks_.end())
        co_return failed({"no task of the name " + request.task + " is open"});
    auto task = std::move(found->second);
    tasks_.erase(found);
    control::Message closed = co_await task->close(request);
    closed_.push_back(std::move(task));
    co_return closed;
}

void ControlServer::note(const control::Note& note)
{
    if (const auto found = tasks_.find(note.task); found != tasks_.end())
        found->second->journal().write(audit::LimitHit{.limit = note.limit, .detail = note.detail});
}

asio::awaitable<void> ControlServer::reply(control::Message message, std::uint64_t request)
{
    const auto writer = control::encode(message, request);
    auto [error] = co_await socket_.async_wait(asio::posix::stream_descriptor::wait_write, as_result);
    const auto sent = send_datagram(socket_.native_handle(), writer.frame(), {});
    if (!error && !sent)
        diagnostics::fail("control: " + sent.error().message);
}

/// At a normal end the broker goes too, before or after this process sees its own socket close.
void ControlServer::broker_lost(std::string_view why) const
{
    if (!tasks_.empty())
        diagnostics::warn(why);
}

void ControlServer::send_lines(Task& task)
{
    for (auto& line : task.ledger.take_lines()) {
        const auto writer = control::encode(control::Refusal{task.name, std::move(line)}, 0);
        // A reader that is that far behind misses lines; the journal has what they say.
        static_cast<void>(send_datagram(socket_.native_handle(), writer.frame(), {}));
    }
}

void ControlServer::prune()
{
    std::erase_if(closed_, [](const auto& task) { return task->over(); });
}

void serve_control(UniqueFd socket)
{
    asio::io_context context(1);
    ControlServer server(context.get_executor(), std::move(socket));
    asio::co_spawn(context, server.run(), [&context](const std::exception_ptr& error) {
        if (error)
            diagnostics::fail("the control socket cannot be served any more");
        context.stop();
    });
    context.run();
    std::_Exit(EXIT_SUCCESS);
}

} // namespace aduana::proxy
