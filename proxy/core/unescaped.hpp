// SPDX-License-Identifier: Apache-2.0
// A text without its escapes: what a browser, a JSON parser or a URL library makes of it.
//
//   text       {"t": "s3c%72et\u002dval&#117;e"}       whoever escapes some bytes and leaves others as they are
//   unescaped  {"t": "s3cret-value"}                   writes no spelling that could be listed
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aduana::proxy {

struct TextRange {
    std::size_t begin = 0;
    std::size_t end = 0;
};

/// How far from an escape something begins or ends that has the escape in it.
struct Margins {
    std::size_t in_a_line = 0;
    std::size_t over_lines = 0; ///< if it goes on behind line breaks
};

/// By what an escape begins with. Programs escape in one way at a time, and leave the beginnings of others as they are.
enum class EscapeFamily : std::uint8_t { percent = 1, backslash = 2, reference = 4 };
/// Several of them.
using EscapeFamilies = std::uint8_t;
inline constexpr EscapeFamilies all_families = 7;

/// Undone are %XX; \uXXXX, \xXX and the other escapes of JSON; numeric references and the usual named ones of HTML and
/// XML. What comes out may hold escapes again.
class Unescaped {
public:
    enum class End : std::uint8_t { may_go_on, final };
    /// Nothing if there is no escape in `text`. It is read from the beginning of an escape, or from outside of any.
    [[nodiscard]] static std::optional<Unescaped> of(std::string_view text, End end);
    /// Of the `original` of this one, in which all were undone: escapes of one kind are never inside of another's.
    [[nodiscard]] std::optional<Unescaped> alone(EscapeFamily family, std::string_view original, End end) const;
    /// Of this one's text. What is an escape there has come about here: only places where something was undone are
    /// looked at.
    [[nodiscard]] std::optional<Unescaped> again(End end) const;

    [[nodiscard]] std::string_view text() const noexcept { return text_; }
    /// Of which something was undone, or was cut off by the end.
    [[nodiscard]] EscapeFamilies undone() const noexcept { return undone_; }
    /// Where in the original the byte `at` of `text()` begins; for the size of `text()`: where an escape begins that
    /// the end of the original cut off, or its end.
    [[nodiscard]] std::size_t original(std::size_t at) const;
    /// The last byte of `text()` that begins at or before `original`.
    [[nodiscard]] std::size_t covering(std::size_t original) const;
    /// In order, apart from each other: all of `text()` that is no farther than `margin` from an undone escape.
    [[nodiscard]] std::vector<TextRange> around_escapes(std::size_t margin) const;

private:
    /// From here on both texts run in parallel, until the next one.
    struct Run {
        std::size_t at = 0;
        std::size_t original = 0;
    };
    static std::optional<Unescaped> within(std::string_view text, End end, EscapeFamilies families,
                                           const std::vector<TextRange>& ranges);

    EscapeFamilies families_ = all_families;
    EscapeFamilies undone_ = 0;
    std::string text_;
    std::vector<Run> runs_;
};

} // namespace aduana::proxy
