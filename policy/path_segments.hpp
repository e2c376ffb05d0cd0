// SPDX-License-Identifier: Apache-2.0
// The pieces of a path that both its judgement and its matching look at: segments, characters, percent triplets.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

namespace aduana::policy {

/// RFC 3986 section 2.3.
[[nodiscard]] inline bool is_unreserved(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
           c == '_' || c == '~';
}

/// The byte of a triplet "%4a" at the start of `text`; none if the two characters after the first are no hex digits.
[[nodiscard]] std::optional<std::uint8_t> decode_triplet(std::string_view text);

/// Where the next "%2F" or "%2f" begins. In a path whose percents all begin triplets, it is one.
[[nodiscard]] std::size_t find_encoded_slash(std::string_view text);
inline constexpr std::size_t encoded_slash_size = 3;

/// Walks the segments of an absolute path: "/a/" has two, "a" and the empty one.
class Segments {
public:
    explicit Segments(std::string_view path) : rest_(path.substr(1)) {}

    [[nodiscard]] bool at_end() const { return at_end_; }
    [[nodiscard]] bool is_last() const { return rest_.find('/') == std::string_view::npos; }
    [[nodiscard]] std::string_view front() const { return rest_.substr(0, rest_.find('/')); }
    void next()
    {
        at_end_ = is_last();
        rest_.remove_prefix(std::min(front().size() + 1, rest_.size()));
    }

private:
    std::string_view rest_;
    bool at_end_ = false;
};

} // namespace aduana::policy
