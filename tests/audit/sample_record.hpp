// SPDX-License-Identifier: Apache-2.0
// A task record with a value in every field.
#pragma once

#include "audit/task_record.hpp"

namespace aduana::audit {

inline TaskRecord sample_record()
{
    TaskRecord record;
    record.task = "demo";
    record.labels = {{"team", "web"}};
    record.command = {"npm", "install"};
    record.policy_sha256 = "ef";
    record.start = 1'782'907'200'000'000; // 2026-07-01T12:00:00Z
    record.end = record.start + 1'500'000;
    record.cause = "exited";
    record.limits = {{.name = "memory", .set = "1GiB", .peak = "412MiB", .hit = false, .mechanism = "cgroup v2"}};
    record.files_in = {"/data (ro)"};
    record.files_out = {{"out/a.txt", 12, "ab"}, {"b", 0, "cd"}};
    record.reached = {{"api.example.com", 443, "https", "", 3, 100, 2048}};
    record.refused = {{"evil.test", 443, "https", "no-rule", 1, 0, 0}};
    record.credentials = {"issues-api"};
    record.journal = "2026-07-01-demo.jsonl";
    record.journal_seq = 9;
    record.journal_hash = "99";
    return record;
}

} // namespace aduana::audit
