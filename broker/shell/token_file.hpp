// SPDX-License-Identifier: Apache-2.0
// A file with room for two boxes of 16 KiB, opened by somebody with the right to.
#pragma once

#include "broker/core/token_keeper.hpp"
#include "policy/base/fd.hpp"

namespace aduana::broker {

/// `file` is open for reading and writing, by an open(2) of its own: flock(2) tells those apart.
class TokenFile final : public TokenSlots {
public:
    explicit TokenFile(UniqueFd file) : file_(std::move(file)) {}

    [[nodiscard]] Result<bool> lock() override;
    void unlock() noexcept override;
    [[nodiscard]] Result<std::array<std::string, 2>> read() override;
    [[nodiscard]] Result<Ok> write(std::size_t slot, std::string_view box) override;
    [[nodiscard]] Result<UniqueFd> share() const override;

private:
    UniqueFd file_;
};

} // namespace aduana::broker
