// SPDX-License-Identifier: Apache-2.0
// The limits of a task, and the spellings that people use for them.
#pragma once

#include "policy/base/result.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace aduana::policy {

/// Each limit is unset until somebody sets it. Bytes for memory and disk; thousandths of a processor for cpus.
struct Limits {
    std::optional<std::uint64_t> memory;           ///< 16 MiB .. 1 PiB
    std::optional<std::uint32_t> cpus_milli;       ///< 10 .. 1024000
    std::optional<std::uint32_t> processes;        ///< 4 .. 4194304
    std::optional<std::uint64_t> disk;             ///< 16 MiB .. 1 PiB
    std::optional<std::chrono::milliseconds> time; ///< 100 ms .. 30 d
    std::optional<std::uint32_t> open_files;       ///< 64 .. 1048576

    friend bool operator==(const Limits&, const Limits&) = default;
};

/// `over` wins where it is set.
[[nodiscard]] Limits merge(const Limits& base, const Limits& over);

/// "1GiB", "512MiB", "64KiB", "1000MB", "4096" (bytes).
[[nodiscard]] Result<std::uint64_t> parse_size(std::string_view text);
/// "256".
[[nodiscard]] Result<std::uint64_t> parse_count(std::string_view text);
/// "90s", "10m", "1h", "30d", "500ms".
[[nodiscard]] Result<std::chrono::milliseconds> parse_duration(std::string_view text);
/// One "memory=1GiB" of the command line or one key of a file; an error names the key, the value and the range.
[[nodiscard]] Result<Ok> set_limit(Limits& limits, std::string_view key, std::string_view value);

} // namespace aduana::policy
