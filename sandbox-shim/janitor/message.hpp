// SPDX-License-Identifier: Apache-2.0
// What `aduana` tells the janitor: frames of policy/base/wire, one datagram each.
//
//   type 1 watch          u8 role                              + pidfd, or lifeline
//        2 remove_cgroup  list folders
//        3 remove_path    bytes path
//        4 keep_journal   bytes task, bytes key seed           + file, head
//        5 finish         bool mend, [u32 exit status, bytes cause, list limits hit, u64 requests]
#pragma once

#include "audit/event.hpp"
#include "policy/base/wire.hpp"
#include "sandbox-shim/janitor/janitor.hpp"

#include <optional>
#include <string>
#include <variant>

namespace aduana::shim {

struct Watch {
    Janitor::Role role = Janitor::Role::sandbox;
};
struct KeepJournal {
    std::string task;
    std::string key_seed; ///< the receiver wipes it
};
struct Finish {
    std::optional<audit::TaskEnd> mend;
};
using JanitorMessage = std::variant<Watch, Undo, KeepJournal, Finish>;

[[nodiscard]] wire::Writer encode(const JanitorMessage& message);
[[nodiscard]] Result<JanitorMessage> decode(std::string_view frame);

} // namespace aduana::shim
