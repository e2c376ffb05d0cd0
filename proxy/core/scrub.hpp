// SPDX-License-Identifier: Apache-2.0
// Injected values that come back are replaced before the sandbox can see them.
#pragma once

#include "policy/base/secret.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace aduana::proxy {

class Automaton;

/// What stands in place of a secret.
inline constexpr std::string_view scrubbed_text = "[scrubbed]";

/// The patterns of all values that were injected for a task: raw, and base64 and base64url at the three alignments
/// (only the characters that the value determines alone). Immutable; shared by all responses of the task.
class ScrubSet {
public:
    ScrubSet();
    ScrubSet(ScrubSet&&) noexcept;
    ScrubSet& operator=(ScrubSet&&) noexcept;
    ~ScrubSet();

    /// Values shorter than 8 bytes are not searched for: the broker does not hand them out.
    [[nodiscard]] static ScrubSet of(const std::vector<const Secret*>& values);
    [[nodiscard]] bool empty() const noexcept;
    /// A whole text at once, for heads. Returns occurrences replaced.
    std::uint64_t scrub(std::string_view in, std::string& out) const;

private:
    friend class Scrubber;
    std::unique_ptr<const Automaton> automaton_;
};

/// A body, piece by piece. Holds back only as many bytes as could be the start of a match: event streams keep their
/// pace. The leftmost longest match wins: from left to right, at each position the longest pattern that matches there
/// is replaced, and the search goes on behind it. How the body is cut makes no difference.
class Scrubber {
public:
    /// `set` must outlive the scrubber, or its use.
    explicit Scrubber(const ScrubSet& set) : set_(&set) {}

    /// From here on another set is searched for, also in the bytes that are held back.
    void use(const ScrubSet& set) { set_ = &set; }

    /// Appends to `out` what may be released after `in`.
    void feed(std::string_view in, std::string& out);
    /// Appends the rest.
    void finish(std::string& out);
    [[nodiscard]] std::uint64_t replaced() const noexcept { return replaced_; }
    [[nodiscard]] std::size_t held_back() const noexcept { return held_.size(); }

private:
    const ScrubSet* set_;
    std::string held_;
    std::uint64_t replaced_ = 0;
};

} // namespace aduana::proxy
