// SPDX-License-Identifier: Apache-2.0
// The operator's file (`--config`): what holds for every task of an installation.
#pragma once

#include "policy/task_policy.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace aduana::policy {

/// Every connection to an upstream goes through it (CONNECT), but for hosts under `except`. It resolves the names.
struct ParentProxy {
    Host host;
    std::uint16_t port;
    std::string credential; ///< by name, from the credentials file; empty: it asks for none
    std::vector<HostPattern> except;
};

enum class Durability : std::uint8_t { process, power };

struct OperatorSettings {
    std::vector<std::string> extra_ca;            ///< paths of PEM files
    std::map<std::string, std::vector<Ip>> hosts; ///< fixed addresses by normalised name
    std::vector<Ip> nameservers;                  ///< empty: the host's
    std::optional<ParentProxy> parent_proxy;      ///< empty: upstreams are dialled by ourselves
    std::string journal_directory;                ///< empty: the state folder's "journal"
    Durability durability = Durability::process;
    Limits default_limits;
    std::uint32_t proxy_id = 61901;
    std::uint32_t broker_id = 61902;
    std::uint32_t sandbox_id = 61903;
};

} // namespace aduana::policy
