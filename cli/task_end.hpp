// SPDX-License-Identifier: Apache-2.0
// After the task: close the border, write the task record.
#pragma once

#include "audit/task_record.hpp"
#include "cli/border.hpp"

#include <optional>

namespace aduana::cli {

/// Closes the task at the proxy and the broker. None if the proxy is gone: then the janitor ends the journal.
[[nodiscard]] std::optional<proxy::control::TaskClosed>
close_border(Border& border, const TaskRequest& request, const RunEnd& end, const std::vector<std::string>& limits_hit);

/// Closes the control sockets, at which proxy and broker end by themselves: the janitor then has nobody to wait for.
void leave(Border border);

/// What every task has: files and limits are the sandbox's to add.
[[nodiscard]] audit::TaskRecord task_record(const TaskRequest& request, const std::string& journal, const RunEnd& end,
                                            audit::Micros started,
                                            const std::optional<proxy::control::TaskClosed>& closed);

/// Signs the record and writes it to --record or the state folder; --json and --verbose print it too.
[[nodiscard]] Result<Ok> keep_record(const TaskRequest& request, const audit::TaskRecord& record,
                                     const certs::SigningKey& key, const TaskOptions& options);

/// Exit status of `aduana run` where the record of a task could not be kept, and what is said then.
inline constexpr int exit_record_lost = 123;
void say_lost_record(const RunEnd& end, const Error& why);

/// A task that did not begin: says why. Once there is a journal, the janitor ends it.
void give_up(shim::Janitor& janitor, const Error& error, bool journal_made);

/// The record of a task that did not begin, once its journal has its end: nothing ran, but a journal without a record
/// would not be proof against an older copy.
void record_failure(const TaskRequest& request, const std::string& journal, const certs::SigningKey& key,
                    const TaskOptions& options);

} // namespace aduana::cli
