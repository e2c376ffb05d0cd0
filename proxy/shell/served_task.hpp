// SPDX-License-Identifier: Apache-2.0
// One open task with everything that is its own: listeners, connections, authority, journal.
#pragma once

#include "policy/base/fd.hpp"
#include "proxy/control/messages.hpp"
#include "proxy/shell/dns_listener.hpp"
#include "proxy/shell/file_journal.hpp"
#include "proxy/shell/listener.hpp"
#include "proxy/shell/net_dialer.hpp"
#include "proxy/shell/net_resolver.hpp"
#include "proxy/shell/nursery.hpp"
#include "proxy/shell/tls_server.hpp"

namespace aduana::proxy {

/// What came with TaskOpen, in its order.
struct TaskDescriptors {
    UniqueFd policy;
    UniqueFd journal;
    UniqueFd journal_head;
    UniqueFd extra_ca;
    std::vector<UniqueFd> listeners;
};

class ServedTask {
public:
    /// Listens once it returns. `credentials` may be null and outlives the task. An error leaves nothing behind.
    [[nodiscard]] static Result<std::unique_ptr<ServedTask>> open(const asio::any_io_executor& executor,
                                                                  const control::TaskOpen& request,
                                                                  TaskDescriptors descriptors,
                                                                  CredentialSource* credentials);

    /// Stops listening, ends every connection, and writes what there is to say about them.
    asio::awaitable<void> stop();
    /// The same first, where it has not been done; then writes how the task ended.
    asio::awaitable<control::TaskClosed> close(const control::TaskClose& request);

    /// After `close`: waits for what did not end in time, at most about `limit`.
    asio::awaitable<void> emptied(std::chrono::steady_clock::duration limit);

    [[nodiscard]] std::string ca_certificate() const { return tls_.ca_certificate(); }
    [[nodiscard]] Task& task() noexcept { return task_; }
    [[nodiscard]] FileJournal& journal() noexcept { return journal_; }
    /// No coroutine of it runs any more: it may be destroyed.
    [[nodiscard]] bool over() const noexcept { return listeners_.size() + connections_.size() == 0; }

    struct Parts {
        asio::any_io_executor executor;
        policy::TaskPolicy policy;
        audit::JournalWriter writer;
        std::unique_ptr<NetResolver> resolver;
        ClientTls client_tls;
        std::optional<Parent> parent;
        CredentialSource* credentials;      ///< null: the broker has nothing for this task
        CredentialSource* task_credentials; ///< the same, or null where no rule names a credential
    };
    ServedTask(const control::TaskOpen& request, Parts parts);

private:
    void listen(control::ListenerKind kind, UniqueFd socket);
    void accept(asio::ip::tcp::socket client, const Arrival& arrival);
    void refuse_connection(asio::ip::tcp::socket client, const Arrival& arrival);

    asio::any_io_executor executor_;
    FileJournal journal_;
    std::unique_ptr<NetResolver> resolver_;
    NetDialer dialer_;
    ServerTls tls_;
    Task task_;
    DnsDesk dns_;
    Nursery listeners_;
    Nursery connections_;
};

} // namespace aduana::proxy
