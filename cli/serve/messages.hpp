// SPDX-License-Identifier: Apache-2.0
// What crosses the socket of `aduana serve`. A connection that opens a task is that task's lifetime: when it closes,
// however that came, the task's listeners, connections and leases go at once.
//
//   run, listen -> serve   Open -> Opened (descriptors, see there) | Failed
//   serve -> run, listen   Ended (unasked): close the task and this connection
//   ps -> serve            List -> Tasks; Locate -> Located (the journal of one task)
//   detach -> serve        Detach -> Detached (the task is gone) | Failed
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace aduana::serve {

enum class MessageType : std::uint8_t {
    open = 1,
    opened = 2,
    ended = 3,
    list = 4,
    tasks = 5,
    detach = 6,
    detached = 7,
    failed = 8,
    locate = 9,
    located = 10,
};

struct Open {
    std::string task;
    std::string policy_file;
    std::string command; ///< for people
    std::string journal; ///< absolute path
};
/// With it come: the caller's end of the proxy's control socket, the read end of the session's lifeline
/// (proxy/control/session.hpp), the caller's end of the broker's control socket, and the proxy's end of its broker
/// socket, which goes to the proxy with the task.
struct Opened {};
inline constexpr std::size_t opened_descriptors = 4;
struct Ended {
    std::string why;
    std::string cause; ///< see audit::TaskEnd
};
struct List {};
struct TaskRow {
    std::string task;
    std::uint32_t pid = 0;   ///< of its `aduana`
    std::uint64_t since = 0; ///< microseconds since the epoch
    std::string policy_file;
    std::string command;
};
struct Tasks {
    std::vector<TaskRow> rows;
};
struct Detach {
    std::string task;
};
struct Detached {};
struct Failed {
    std::string message;
    std::string remedy;
};
/// Asked for one by one: the paths of all tasks might not fit into a frame.
struct Locate {
    std::string task;
};
struct Located {
    std::string journal; ///< empty: no such task is open (any more)
};

using Message = std::variant<Open, Opened, Ended, List, Tasks, Detach, Detached, Failed, Locate, Located>;

/// Tasks at the same time, and what is kept of each text: a full list fits into one frame.
inline constexpr std::uint32_t max_tasks = 1024;
inline constexpr std::size_t max_text = 64;
inline constexpr std::size_t max_path = 4096;

} // namespace aduana::serve
