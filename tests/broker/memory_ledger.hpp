// SPDX-License-Identifier: Apache-2.0
// A ledger without a file.
#pragma once

#include "broker/core/ledger.hpp"

namespace aduana::broker::samples {

class MemoryLedger final : public LedgerFile {
public:
    [[nodiscard]] Result<std::vector<std::string>> read() override
    {
        if (full)
            return Error{"the disk is broken"};
        return boxes;
    }
    [[nodiscard]] Result<Ok> append(std::string_view box) override
    {
        if (full)
            return Error{"the disk is full", "make room"};
        boxes.emplace_back(box);
        return Ok{};
    }
    [[nodiscard]] Result<Ok> replace(const std::vector<std::string>& others) override
    {
        boxes = others;
        return Ok{};
    }

    std::vector<std::string> boxes;
    bool full = false;
};

inline Call revoking(std::string_view token)
{
    return {.method = "POST",
            .endpoint = {policy::Host::parse("idp.test").value(), 8443, "/revoke", {}},
            .fields = {},
            .body = Secret::copy_of(token),
            .identity = {}};
}

} // namespace aduana::broker::samples
