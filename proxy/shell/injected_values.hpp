// SPDX-License-Identifier: Apache-2.0
// Every value that was injected for a task, for as long as it may come back.
#pragma once

#include "policy/base/secret.hpp"
#include "proxy/core/scrub.hpp"

#include <chrono>
#include <memory>
#include <vector>

namespace aduana::proxy {

/// When a value is added, and when its issuer stops to take it.
struct InjectedLifetime {
    std::chrono::steady_clock::time_point now{};
    std::chrono::steady_clock::time_point ends = std::chrono::steady_clock::time_point::max();
};

/// Task-wide, and old generations stay: what was stored upstream under one credential may come back through another
/// host, or after the credential was renewed.
class InjectedValues {
public:
    using Clock = std::chrono::steady_clock;
    /// Values that have ended are searched for so much longer: clocks differ.
    static constexpr std::chrono::minutes grace{5};

    InjectedValues() : set_(std::make_shared<const ScrubSet>()) {}

    /// Adds the values that are not known yet; those that are known stay for the longer of both times.
    void add(const std::vector<Secret>& values, InjectedLifetime lifetime = {},
             std::string_view replacement = scrubbed_text);
    /// Never null. A response asks again before each thing that it passes on: one that began before a value was
    /// injected may bring that value back too.
    [[nodiscard]] std::shared_ptr<const ScrubSet> set() const { return set_; }
    [[nodiscard]] std::size_t size() const;
    /// What stands in place of this value; null if it is not searched for.
    [[nodiscard]] const std::string* replacement_of(const Secret& value) const;

private:
    struct Known {
        Secret value;
        std::string replacement;
        Clock::time_point ends;
        [[nodiscard]] bool ended(Clock::time_point now) const;
    };
    /// Values that are searched for with one database.
    struct Shelf {
        std::vector<Known> values;
        ScrubSet set;
    };
    [[nodiscard]] Known* find(const Secret& value);
    bool forget(Clock::time_point now);
    static void forget_ended(std::vector<Known>& values, Clock::time_point now);
    void put(Shelf shelf, Clock::time_point now);

    std::vector<Shelf> shelves_; ///< each at least four times as full as the next
    std::shared_ptr<const ScrubSet> set_;
};

} // namespace aduana::proxy
