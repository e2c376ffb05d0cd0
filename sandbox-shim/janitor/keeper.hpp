// SPDX-License-Identifier: Apache-2.0
// The janitor's own side: what it remembers and what it does in the end.
#pragma once

#include "policy/base/secret.hpp"
#include "sandbox-shim/janitor/message.hpp"

#include <chrono>
#include <vector>

namespace aduana::shim {

class Keeper {
public:
    /// Until `finish` or the end of the socket; then cleans up. The first failure, or none.
    [[nodiscard]] Result<Ok> serve(int socket);

private:
    using Clock = std::chrono::steady_clock;
    struct Watched {
        UniqueFd process;
        Janitor::Role role;
    };
    struct Journal {
        std::string task;
        UniqueFd file;
        UniqueFd head;
        Secret key_seed;
    };

    [[nodiscard]] Result<Ok> remember(JanitorMessage& message, std::vector<UniqueFd>& descriptors);
    [[nodiscard]] Result<Ok> clean_up(const std::optional<audit::TaskEnd>& mend);
    void kill(Janitor::Role role) const;
    /// False: something of that role has not ended.
    [[nodiscard]] bool ended(Janitor::Role role, Clock::time_point deadline) const;
    [[nodiscard]] static Result<Ok> mend(Journal journal, const audit::TaskEnd& end);

    std::vector<Watched> watched_;
    std::vector<Undo> undo_;
    std::optional<Journal> journal_;
};

} // namespace aduana::shim
