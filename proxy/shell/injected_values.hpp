// SPDX-License-Identifier: Apache-2.0
// Every value that was injected for a task, for as long as the task lives.
#pragma once

#include "policy/base/secret.hpp"
#include "proxy/core/scrub.hpp"

#include <memory>
#include <vector>

namespace aduana::proxy {

/// Task-wide, and old generations stay: what was stored upstream under one credential may come back through another
/// host, or after the credential was renewed.
class InjectedValues {
public:
    InjectedValues() : set_(std::make_shared<const ScrubSet>()) {}

    /// Adds the values that are not known yet.
    void add(const std::vector<Secret>& values);
    /// Never null. A response asks again before each thing that it passes on: one that began before a value was
    /// injected may bring that value back too.
    [[nodiscard]] std::shared_ptr<const ScrubSet> set() const { return set_; }

private:
    [[nodiscard]] bool knows(const Secret& value) const;

    std::vector<Secret> values_;
    std::shared_ptr<const ScrubSet> set_;
};

} // namespace aduana::proxy
