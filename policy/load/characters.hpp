// SPDX-License-Identifier: Apache-2.0
// The characters that a file may hold, and how a piece of it is shown on a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace aduana::policy::load {

/// The character that starts at a byte. Bytes that are not UTF-8 (RFC 3629: no overlong forms, no surrogates) count as
/// one character of one byte that is not `valid`.
struct Character {
    char32_t code = 0;
    std::size_t size = 1;
    bool valid = false;

    /// Control and invisible characters. On a terminal they move the cursor; in an editor they make a text look like
    /// another one (the "Trojan Source" attack by U+202A..U+202E and U+2066..U+2069).
    [[nodiscard]] bool printable() const;
};

/// `at` is less than the size of `text`.
[[nodiscard]] Character character_at(std::string_view text, std::size_t at);

/// `text` with '?' for each character that is not printable, cut with "..." after `limit` characters.
[[nodiscard]] std::string shown(std::string_view text, std::size_t limit = 80);

/// `shown` in backquotes: how messages name what stands in the file.
[[nodiscard]] std::string ticked(std::string_view text);

/// At most 100 characters of a line around the byte `offset`, as `shown`, with "..." where it was cut.
struct Excerpt {
    std::string line;
    std::size_t caret = 0; ///< index of the character of `line` that stands at `offset`
};
[[nodiscard]] Excerpt excerpt(std::string_view line, std::size_t offset);

} // namespace aduana::policy::load
