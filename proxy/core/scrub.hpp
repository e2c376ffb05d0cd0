// SPDX-License-Identifier: Apache-2.0
// Injected values that come back are replaced before the sandbox can see them.
#pragma once

#include "proxy/core/layers.hpp"
#include "proxy/core/needles.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace aduana::proxy {

/// Of what stands in the place of a value: in a format that counts its bytes another length would be damage.
enum class ReplacedLength : std::uint8_t {
    own,  ///< the replacement, whole
    kept, ///< as long as what was there: the replacement cut off, or filled up with "*"
};

/// Every spelling (see spellings.hpp) of all values that were injected for a task. Immutable; shared by all responses
/// of the task, which live on one thread.
class ScrubSet {
public:
    /// Nothing is searched for.
    ScrubSet() = default;
    /// Values shorter than 8 bytes are not searched for: the broker does not hand them out.
    [[nodiscard]] static ScrubSet of(const std::vector<ScrubbedValue>& values);
    /// All become `[scrubbed]`.
    [[nodiscard]] static ScrubSet of(const std::vector<const Secret*>& values);
    /// Both, without building anything anew; searching costs as much as in one after the other.
    [[nodiscard]] static ScrubSet joined(const ScrubSet& one, const ScrubSet& other);

    [[nodiscard]] bool empty() const noexcept { return needles_.empty(); }
    /// A whole text at once, for heads. Returns occurrences replaced.
    std::uint64_t scrub(std::string_view in, std::string& out) const;

private:
    friend class Scrubber;
    struct Progress {
        std::size_t done = 0;       ///< bytes of the piece; in the rest, something may begin
        std::size_t covered = 0;    ///< bytes of the rest that were replaced already
        std::uint64_t replaced = 0; ///< occurrences
    };
    /// The first `covered` bytes belong to what was replaced before.
    Progress rewrite(const Layers& layers, std::size_t covered, ReplacedLength length, std::string& out) const;

    struct Span {
        std::size_t start = 0;
        std::size_t end = 0;
        std::string_view replacement;
    };
    /// Appends what is found in a layer, in places of the original; gives the first place where something may begin
    /// that the piece does not end.
    std::size_t search(const Layers& layers, std::size_t layer, std::vector<Span>& spans) const;
    [[nodiscard]] static std::size_t first_open(const Needles& needles, const TextWindow& window, std::size_t from);

    std::vector<std::shared_ptr<const Needles>> needles_;
};

/// A body, piece by piece. Every occurrence of every spelling is replaced, in the text as it is and without its
/// escapes, twice over (see layers.hpp); occurrences that overlap are replaced together. Held back are only as many
/// bytes as could be the start of one (see needles.hpp): event streams keep their pace. How the body is cut makes no
/// difference.
class Scrubber {
public:
    /// `set` must outlive the scrubber, or its use.
    explicit Scrubber(const ScrubSet& set, ReplacedLength length = ReplacedLength::own) : set_(&set), length_(length) {}

    /// From here on another set is searched for, also in the bytes that are held back.
    void use(const ScrubSet& set) { set_ = &set; }

    /// Appends to `out` what may be released after `in`, which has less than 4 GiB.
    void feed(std::string_view in, std::string& out);
    /// Appends the rest.
    void finish(std::string& out);
    [[nodiscard]] std::uint64_t replaced() const noexcept { return replaced_; }
    [[nodiscard]] std::size_t held_back() const noexcept { return held_.size(); }

private:
    void pass(std::string_view bytes, TextWindow::Kind kind, std::string& out);

    const ScrubSet* set_;
    ReplacedLength length_;
    std::string held_;
    std::size_t covered_ = 0; ///< bytes of it that were replaced already
    Layers::Lines lines_{};   ///< before it
    std::uint64_t replaced_ = 0;
};

} // namespace aduana::proxy
