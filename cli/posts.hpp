// SPDX-License-Identifier: Apache-2.0
// Who stands at the border of a task: a proxy and a broker of its own, or sessions of those that `aduana serve` shares.
#pragma once

#include "cli/serve/client.hpp"
#include "cli/task_request.hpp"
#include "policy/base/fd.hpp"
#include "sandbox-shim/janitor/janitor.hpp"

#include <optional>

namespace aduana::cli {

struct BrokerPost {
    UniqueFd control;
    UniqueFd proxy_end; ///< goes to the proxy with the task
    UniqueFd process;   ///< readable once it has ended; none where `Posts::shared` tells that
};

struct Posts {
    UniqueFd proxy_control;
    UniqueFd proxy_process;              ///< readable once the proxy has done with the task
    std::optional<BrokerPost> broker;    ///< none without credentials
    std::optional<serve::Client> shared; ///< the task's lifetime; none with processes of its own
};

/// `aduana serve` if it is there (it is told where `journal` is), else new processes; both known to the janitor before
/// they are used.
[[nodiscard]] Result<Posts> man_posts(const TaskRequest& request, const std::string& journal, shim::Janitor& janitor);

} // namespace aduana::cli
