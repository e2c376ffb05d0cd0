// SPDX-License-Identifier: Apache-2.0
// The programs beside `aduana`: the proxy and the broker, each under its own user id.
#pragma once

#include "policy/base/fd.hpp"
#include "policy/base/result.hpp"
#include "policy/operator_settings.hpp"

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace aduana::cli {

/// A child that runs until its control socket closes, or until this process ends (PR_SET_PDEATHSIG).
struct Service {
    pid_t pid = -1;
    UniqueFd pidfd;
    UniqueFd control; ///< our end of its SEQPACKET control (or sessions) socket
};

struct Broker {
    Service service;
    UniqueFd proxy_end; ///< goes to the proxy with its first task
};

/// The process beside a broker that talks to issuers of credentials, and the broker's end of the pair to it.
struct Courier {
    Service service; ///< ends with the broker, whose end is the only one
    UniqueFd broker_end;
};

/// The process beside a broker that runs programs which print credentials; in a process namespace of its own, so that
/// what these leave behind ends with it.
using Runner = Courier;

/// Broker's ends of the pairs to the processes beside it, borrowed; -1: none.
struct BrokerHelpers {
    int courier = -1;
    int runner = -1;
};

/// The folder of this program: its companions lie beside it.
[[nodiscard]] Result<std::string> program_folder();

/// Started with an empty environment, in a session of its own (Ctrl-C is not for them), as `id`, without groups,
/// capabilities or the way to new privileges. The program file is opened before the identity is given up, so that it
/// may lie in a folder that only the caller can enter.
[[nodiscard]] Result<Service> start_proxy(const std::string& folder, std::uint32_t id);
[[nodiscard]] Result<Broker> start_broker(const std::string& folder, std::uint32_t id, BrokerHelpers helpers);
/// `roots`: PEM. Runs as the broker's user.
[[nodiscard]] Result<Courier> start_courier(const std::string& folder, const policy::OperatorSettings& settings,
                                            const std::string& roots);
/// Runs as the broker's user, as do its programs.
[[nodiscard]] Result<Runner> start_runner(const std::string& folder, std::uint32_t id);

/// The same programs for all tasks of the machine: `control` is their sessions socket. `workers`: threads of the proxy;
/// 0: one for each processor.
[[nodiscard]] Result<Service> start_shared_proxy(const std::string& folder, std::uint32_t id, unsigned workers);
[[nodiscard]] Result<Service> start_shared_broker(const std::string& folder, std::uint32_t id, BrokerHelpers helpers);

} // namespace aduana::cli
