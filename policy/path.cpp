// SPDX-License-Identifier: Apache-2.0
// Paths: what is sent is what was matched, so whatever has a second reading is refused, never normalised.
#include "policy/path.hpp"

#include "policy/quote.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace aduana::policy {
namespace {

bool is_unreserved(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
           c == '_' || c == '~';
}

/// RFC 3986 section 3.3 pchar without ";": some servers cut a segment at it (RFC 2396 parameters).
bool may_stand_plain(unsigned char c)
{
    return is_unreserved(c) || std::string_view("!$&'()*+,=:@").find(static_cast<char>(c)) != std::string_view::npos;
}

/// Encoded bytes that a second server could read as something else: other spellings of plain letters, what ends or
/// splits a path ("/", "\", ";", "?", "#"), a second layer of encoding ("%"), and control characters.
bool may_stand_encoded(unsigned char c)
{
    return c >= 0x20 && c != 0x7f && !is_unreserved(c) &&
           std::string_view("/\\;?#%").find(static_cast<char>(c)) == std::string_view::npos;
}

std::optional<std::uint8_t> hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return static_cast<std::uint8_t>(c - '0');
    if (c >= 'A' && c <= 'F')
        return static_cast<std::uint8_t>(c - 'A' + 10);
    if (c >= 'a' && c <= 'f')
        return static_cast<std::uint8_t>(c - 'a' + 10);
    return std::nullopt;
}

/// The byte of a triplet "%4a" at the start of `text`.
std::optional<std::uint8_t> decode_triplet(std::string_view text)
{
    if (text.size() < 3)
        return std::nullopt;
    const auto high = hex_value(text[1]);
    const auto low = hex_value(text[2]);
    if (!high || !low)
        return std::nullopt;
    return static_cast<std::uint8_t>(*high << 4 | *low);
}

/// Well-formed UTF-8 only (Unicode, table 3-7): an overlong form is another spelling of a character.
class Utf8Check {
public:
    /// False if `byte` cannot follow the bytes before it.
    bool feed(std::uint8_t byte)
    {
        if (pending_ > 0) {
            const bool fits = byte >= lowest_ && byte <= highest_;
            expect(pending_ - 1);
            return fits;
        }
        if (byte < 0x80)
            return true;
        if (byte >= 0xc2 && byte <= 0xdf)
            expect(1);
        else if (byte >= 0xe0 && byte <= 0xef)
            expect(2, byte == 0xe0 ? 0xa0 : 0x80, byte == 0xed ? 0x9f : 0xbf);
        else if (byte >= 0xf0 && byte <= 0xf4)
            expect(3, byte == 0xf0 ? 0x90 : 0x80, byte == 0xf4 ? 0x8f : 0xbf);
        return pending_ > 0;
    }
    [[nodiscard]] bool complete() const { return pending_ == 0; }

private:
    void expect(int count, std::uint8_t lowest = 0x80, std::uint8_t highest = 0xbf)
    {
        pending_ = count;
        lowest_ = lowest;
        highest_ = highest;
    }

    int pending_ = 0;
    std::uint8_t lowest_ = 0x80;
    std::uint8_t highest_ = 0xbf;
};

bool segment_is_ambiguous(std::string_view segment)
{
    Utf8Check utf8;
    std::uint8_t last = 0;
    for (std::size_t i = 0; i < segment.size(); ++i) {
        last = static_cast<std::uint8_t>(segment[i]);
        const bool encoded = last == '%';
        if (encoded) {
            const auto byte = decode_triplet(segment.substr(i));
            if (!byte || !may_stand_encoded(*byte))
                return true;
            last = *byte;
            i += 2;
        } else if (!may_stand_plain(last)) {
            return true;
        }
        if (!utf8.feed(last))
            return true;
    }
    // Dot segments, and names that file systems of Windows shorten: "a." and "a " open "a".
    return !utf8.complete() || last == '.' || last == ' ';
}

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

/// One segment; a segment that is only "*" stands for one that is not empty. Goes back to the last star only, so the
/// time is at most the product of the lengths.
bool segment_matches(std::string_view pattern, std::string_view segment)
{
    if (pattern == "*")
        return !segment.empty();
    std::size_t p = 0;
    std::size_t s = 0;
    std::size_t after_star = std::string_view::npos;
    std::size_t resume = 0;
    while (s < segment.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            after_star = ++p;
            resume = s;
        } else if (p < pattern.size() && pattern[p] == segment[s]) {
            ++p;
            ++s;
        } else if (after_star != std::string_view::npos) {
            p = after_star;
            s = ++resume;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

/// The same walk one level up: "**" is to segments what "*" is to bytes.
bool path_matches(const std::vector<std::string>& pattern, std::string_view path)
{
    std::size_t p = 0;
    std::size_t after_stars = std::string_view::npos;
    Segments segment(path);
    Segments resume = segment;
    while (!segment.at_end()) {
        if (p < pattern.size() && pattern[p] == "**") {
            after_stars = ++p;
            resume = segment;
        } else if (p < pattern.size() && segment_matches(pattern[p], segment.front())) {
            ++p;
            segment.next();
        } else if (after_stars != std::string_view::npos) {
            p = after_stars;
            resume.next();
            segment = resume;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == "**")
        ++p;
    return p == pattern.size();
}

std::vector<std::string> split(std::string_view path)
{
    std::vector<std::string> segments;
    for (Segments segment(path); !segment.at_end(); segment.next())
        segments.emplace_back(segment.front());
    return segments;
}

/// All that is not unreserved as an upper-case triplet: "@", "%40" and every case of hex digits become one. `kept` stays.
std::string fold(std::string_view path, std::string_view kept)
{
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string folded;
    folded.reserve(path.size());
    for (std::size_t i = 0; i < path.size(); ++i) {
        auto byte = static_cast<std::uint8_t>(path[i]);
        if (is_unreserved(byte) || kept.find(path[i]) != std::string_view::npos) {
            folded += path[i];
            continue;
        }
        if (const auto decoded = byte == '%' ? decode_triplet(path.substr(i)) : std::nullopt) {
            byte = *decoded;
            i += 2;
        }
        folded += '%';
        folded += digits[byte >> 4];
        folded += digits[byte & 0xf];
    }
    return folded;
}

} // namespace

bool path_is_ambiguous(std::string_view path)
{
    if (path == "*") // RFC 9112 section 3.2.4: the server itself, not a path
        return false;
    if (!path.starts_with('/'))
        return true;
    for (Segments segment(path); !segment.at_end(); segment.next())
        if ((segment.front().empty() && !segment.is_last()) || segment_is_ambiguous(segment.front()))
            return true;
    return false;
}

Result<PathPattern> PathPattern::parse(std::string_view text)
{
    if (!text.starts_with('/'))
        return Error{quoted(text) + " is not a path", "begin it with a slash, such as \"/v1/**\""};
    if (text.find_first_of("?#") != std::string_view::npos)
        return Error{quoted(text) + " has a query or a fragment, which rules do not look at",
                     "write " + quoted(text.substr(0, text.find_first_of("?#")))};
    PathPattern pattern;
    pattern.text_ = text;
    pattern.segments_ = split(text);
    for (const std::string& segment : pattern.segments_)
        if (segment != "**" && segment.find("**") != std::string::npos)
            return Error{quoted(text) + " has `**` beside other characters",
                         "let `**` be a whole segment, such as \"/v1/**\", or write `*` within a segment"};

    // A letter that is no hex digit in place of the stars: "%*" and "%4*" stay invalid.
    std::string plain(text);
    std::ranges::replace(plain, '*', 'g');
    if (path_is_ambiguous(plain))
        return Error{quoted(text) + " is ambiguous, and an ambiguous path is always refused",
                     "write it plainly: no dot segments, empty segments, backslashes, semicolons, encoded slashes, "
                     "encoded letters or bytes outside ASCII"};
    pattern.folded_segments_ = split(fold(text, "/*"));
    return pattern;
}

bool PathPattern::matches(std::string_view path) const
{
    return path.starts_with('/') && !path_is_ambiguous(path) && path_matches(segments_, path);
}

bool PathPattern::could_match(std::string_view path) const
{
    return path.starts_with('/') && !path_is_ambiguous(path) && path_matches(folded_segments_, fold(path, "/"));
}

} // namespace aduana::policy
