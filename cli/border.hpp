// SPDX-License-Identifier: Apache-2.0
// The border of one task: its journal, its listeners, its proxy and its broker.
#pragma once

#include "audit/journal.hpp"
#include "broker/client/control.hpp"
#include "cli/posts.hpp"
#include "cli/task_request.hpp"
#include "proxy/control/client.hpp"
#include "sandbox-shim/apply/gateway.hpp"
#include "sandbox-shim/janitor/janitor.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace aduana::cli {

struct Border {
    std::string journal;
    UniqueFd sandbox_network; ///< none without a gateway
    UniqueFd proxy_process;   ///< as of Posts
    proxy::control::Client proxy;
    UniqueFd broker_process; ///< as of BrokerPost
    std::optional<broker::ControlClient> broker;
    std::string broker_handle;
    std::string ledger;         ///< what issuers have to take back is noted there; empty where nothing is
    std::string ca_certificate; ///< PEM
    /// Variables: of placeholders, and of metadata services that answer with them.
    std::vector<std::pair<std::string, std::string>> placeholders;
    std::optional<serve::Client> shared; ///< as of Posts
};

/// How a task came to its end.
struct RunEnd {
    int exit_status = 0;
    std::string cause; ///< see audit::TaskEnd
};

/// Opens the border, each step registered with the janitor before the next. An error means that the task's end must be
/// written by the janitor.
struct BorderError {
    Error error;
    std::string journal; ///< its path; empty: there is none to end
};
/// Opens the listeners, once there is a journal to say that it failed.
using OpenGate = std::function<Result<shim::Gateway>()>;
[[nodiscard]] boost::system::result<Border, BorderError> open_border(const TaskRequest& request,
                                                                     const certs::SigningKey& installation,
                                                                     shim::Janitor& janitor, const OpenGate& open_gate);
[[noreturn]] void throw_exception_from_error(const BorderError& error, const boost::source_location&);

/// Microseconds since the epoch, for records.
[[nodiscard]] audit::Micros now_micros();

} // namespace aduana::cli
