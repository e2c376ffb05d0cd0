// SPDX-License-Identifier: Apache-2.0
// A piece of a text, with what has to be known of the text before it.
#pragma once

#include <cstdint>
#include <string_view>

namespace aduana::proxy {

struct TextWindow {
    enum class Kind : std::uint8_t { more_follows, is_last };
    std::string_view bytes;
    Kind kind = Kind::is_last;
    std::size_t line_before = 0; ///< characters of base64 right before it: see `line_before`

    [[nodiscard]] bool more_follows() const noexcept { return kind == Kind::more_follows; }
};

/// Encodings are printed in lines: `xxd -p` 60 characters, PEM (RFC 7468) 64, MIME and base64(1) 76, programs any
/// number. Shorter lines than this end for other reasons, and nobody should have to wait for what comes behind them.
inline constexpr std::size_t shortest_line = 16;

/// Of characters of base64 (or hex) right before `at`; it does not count beyond `shortest_line`.
[[nodiscard]] std::size_t line_before(const TextWindow& window, std::size_t at);

struct LineBreak {
    std::size_t size = 0;    ///< 0: none behind a full line of base64
    bool unfinished = false; ///< the window ends, and it may go on
};
/// CR LF with the indentation of the next line, as in YAML: 64 blanks; a longer one is none.
inline constexpr std::size_t longest_break = 2 + 64;
/// CR LF or LF at `at`, behind a full line, and the blanks that follow.
[[nodiscard]] LineBreak line_break(const TextWindow& window, std::size_t at);
/// Where the first line break at or behind `from` begins, in front of `end`; npos: there is none. CR at the end of the
/// window may become one.
[[nodiscard]] std::size_t next_line_break(const TextWindow& window, std::size_t from, std::size_t end);

} // namespace aduana::proxy
