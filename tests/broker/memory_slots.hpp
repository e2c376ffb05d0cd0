// SPDX-License-Identifier: Apache-2.0
// Token slots without a file: several keepers can have the same ones.
#pragma once

#include "broker/core/token_keeper.hpp"

namespace aduana::broker::samples {

struct SlotsMemory {
    std::array<std::string, 2> boxes;
    bool locked = false;
    bool full = false;
    bool broken = false;
};

class MemorySlots final : public TokenSlots {
public:
    explicit MemorySlots(SlotsMemory& memory) : memory_(memory) {}
    ~MemorySlots() override { unlock(); }

    [[nodiscard]] Result<bool> lock() override
    {
        if (memory_.broken)
            return Error{"no lock", "mend it"};
        if (memory_.locked && !mine_)
            return false;
        memory_.locked = mine_ = true;
        return true;
    }
    void unlock() noexcept override
    {
        if (std::exchange(mine_, false))
            memory_.locked = false;
    }
    [[nodiscard]] Result<std::array<std::string, 2>> read() override { return memory_.boxes; }
    [[nodiscard]] Result<Ok> write(std::size_t slot, std::string_view box) override
    {
        if (memory_.full)
            return Error{"the disk is full", "make room"};
        memory_.boxes.at(slot) = box;
        return Ok{};
    }

    [[nodiscard]] Result<UniqueFd> share() const override { return UniqueFd(); }

private:
    SlotsMemory& memory_;
    bool mine_ = false;
};

} // namespace aduana::broker::samples
