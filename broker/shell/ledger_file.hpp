// SPDX-License-Identifier: Apache-2.0
// A ledger on the disk.
#pragma once

#include "broker/core/ledger.hpp"
#include "policy/base/fd.hpp"

namespace aduana::broker {

/// `file` is open for reading and writing, and whoever opened it has locked it (flock(2)): it is this broker's as long
/// as it runs.
class LedgerOnDisk final : public LedgerFile {
public:
    explicit LedgerOnDisk(UniqueFd file) : file_(std::move(file)) {}

    [[nodiscard]] Result<std::vector<std::string>> read() override;
    [[nodiscard]] Result<Ok> append(std::string_view box) override;
    [[nodiscard]] Result<Ok> replace(const std::vector<std::string>& boxes) override;

private:
    [[nodiscard]] Result<Ok> write(const std::string& bytes, std::uint64_t at);

    UniqueFd file_;
    std::uint64_t size_ = 0; ///< of what was written whole
};

} // namespace aduana::broker
