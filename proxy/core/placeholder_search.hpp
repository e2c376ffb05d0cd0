// SPDX-License-Identifier: Apache-2.0
// Finds placeholders in a stream of bytes, whoever's they are, in the spellings that clients write.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace aduana::proxy {

/// Every placeholder holds "EGP_" and 26 characters of base32, whatever stands before and behind. That is its core: 130
/// random bits, which no two placeholders share.
inline constexpr std::string_view core_mark = "EGP_";
inline constexpr std::size_t core_size = core_mark.size() + 26;

/// Reads the bytes twice in one pass: as they are, and percent-decoded ("%5F") and without the escapes of JSON
/// ("\u005f"). How the stream is cut makes no difference.
class PlaceholderSearch {
public:
    using Found = std::function<void(std::string_view core)>;
    void feed(std::string_view piece, const Found& found);

private:
    /// As much of a core as the last characters are.
    class Matcher {
    public:
        /// True: `core()` is whole.
        bool take(char c);
        [[nodiscard]] std::string_view core() const noexcept { return core_; }
        /// Behind a whole core, or a character that does not fit.
        void restart();

    private:
        std::string core_;
    };

    void decode(char c, const Found& found);
    /// An escape that is complete, or turned out to be none.
    void end_escape(const Found& found);
    void take_decoded(char c, const Found& found);

    Matcher plain_;
    Matcher decoded_;
    std::size_t since_escape_ = core_size; ///< characters of `decoded_` behind the last one that was escaped
    std::array<char, 6> escape_{};         ///< "%5F" or "\u005f", as much as there is
    std::size_t escape_size_ = 0;
};

/// The cores of a whole text.
void find_cores(std::string_view text, const PlaceholderSearch::Found& found);

} // namespace aduana::proxy
