// SPDX-License-Identifier: Apache-2.0
// How much of a value the pauses of answers have told.
//
// What could be the beginning of a value is held back until what follows decides. Whoever chooses what an answer says
// and sees where its pieces end learns from each pause that a guess was right so far, one character after the other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace aduana::proxy {

/// Of one value, for as long as it is searched for. A beginning of a quarter of the value is nobody's secret (prefixes
/// of providers, headers of JWTs), and after a few that are longer its pauses tell nothing any more: see Scrubber.
class Hints {
public:
    /// `when_spent` is called once, or empty.
    Hints(std::size_t value_bytes, std::function<void()> when_spent)
        : long_enough_(std::max<std::size_t>(4, value_bytes / 4)),
          left_(std::clamp<std::size_t>(value_bytes / 8, 1, 8)), when_spent_(std::move(when_spent))
    {
    }

    /// A beginning of so many bytes, held back, is one.
    [[nodiscard]] bool is_one(std::size_t bytes) const noexcept { return bytes >= long_enough_; }
    void give()
    {
        given_ = true;
        if (left_ == 0 || --left_ != 0)
            return;
        if (when_spent_)
            when_spent_();
    }
    /// The whole value followed, which nobody had guessed.
    void take_back() noexcept { left_ += left_ == 0 ? 0 : 1; }
    [[nodiscard]] bool spent() const noexcept { return left_ == 0; }
    /// What was told is known for good: whoever forgets the value keeps these for when it comes again.
    [[nodiscard]] bool given() const noexcept { return given_; }

private:
    std::size_t long_enough_;
    std::size_t left_;
    bool given_ = false;
    std::function<void()> when_spent_;
};

using HintsList = std::vector<std::shared_ptr<Hints>>;

} // namespace aduana::proxy
