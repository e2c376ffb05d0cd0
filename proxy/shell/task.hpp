// SPDX-License-Identifier: Apache-2.0
// What the connections of one task share.
#pragma once

#include "policy/task_policy.hpp"
#include "proxy/core/metadata.hpp"
#include "proxy/core/names.hpp"
#include "proxy/core/placeholders.hpp"
#include "proxy/ports/credential_source.hpp"
#include "proxy/ports/dialer.hpp"
#include "proxy/ports/journal.hpp"
#include "proxy/ports/resolver.hpp"
#include "proxy/shell/injected_values.hpp"
#include "proxy/shell/ledger.hpp"
#include "proxy/shell/limits.hpp"
#include "proxy/shell/rule_usage.hpp"
#include "proxy/shell/upstreams.hpp"

#include <functional>

namespace aduana::proxy {

class ServerTls;

/// A task lives on one thread. Its ports and its TLS side are borrowed and outlive it.
struct Task {
    std::string name;
    std::string policy_file; ///< for messages
    std::string broker_handle;
    policy::TaskPolicy policy;
    Journal& journal;
    Resolver& resolver;
    Dialer& dialer;
    CredentialSource* credentials; ///< null: the task has none
    ServerTls* tls;                ///< null: nothing is intercepted (tests)
    asio::any_io_executor executor;
    Deadlines deadlines{};
    std::optional<Parent> parent{}; ///< the proxy that everything goes out through
    CredentialSource* parent_credentials = nullptr;
    Placeholders placeholders{};
    Metadata metadata{};
    SyntheticNames names{};
    InjectedValues injected{};
    Ledger ledger{};
    RuleUsage usage{};
    UpstreamPool pool{executor, deadlines.pool};
    std::size_t streams = 0;         ///< of HTTP/2, open on all connections of clients
    std::size_t decoders = 0;        ///< coded bodies that are being searched
    bool ending = false;             ///< no new request begins
    std::function<void()> on_line{}; ///< the ledger holds a line for the terminal
};

} // namespace aduana::proxy
