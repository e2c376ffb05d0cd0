// SPDX-License-Identifier: Apache-2.0
// Paths of rules: two walks of the same shape, one over the segments of a path and one over the bytes of a segment.
#include "policy/path.hpp"

#include "policy/path_segments.hpp"
#include "policy/quote.hpp"

#include <algorithm>

namespace aduana::policy {
namespace {

/// One name; a pattern that is only "*" stands for one that is not empty. Goes back to the last star only, so the
/// time is at most the product of the lengths.
bool name_matches(std::string_view pattern, std::string_view name)
{
    if (pattern == "*")
        return !name.empty();
    std::size_t p = 0;
    std::size_t s = 0;
    std::size_t after_star = std::string_view::npos;
    std::size_t resume = 0;
    while (s < name.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            after_star = ++p;
            resume = s;
        } else if (p < pattern.size() && pattern[p] == name[s]) {
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

/// The names of a segment one by one: no star stands for the encoded slash between them, but a last "**" for one or
/// more of them.
bool segment_matches(std::string_view pattern, std::string_view segment)
{
    for (;;) {
        const auto in_pattern = find_encoded_slash(pattern);
        const auto in_segment = find_encoded_slash(segment);
        if (!name_matches(pattern.substr(0, in_pattern), segment.substr(0, in_segment)))
            return false;
        if (in_pattern == std::string_view::npos || in_segment == std::string_view::npos)
            return in_pattern == in_segment;
        pattern.remove_prefix(in_pattern + encoded_slash_size);
        segment.remove_prefix(in_segment + encoded_slash_size);
        if (pattern == "**")
            return true;
    }
}

/// For deny rules, where a star stands for an encoded slash as for any other bytes.
enum class Slashes : std::uint8_t { kept, any };

bool star_may_take(std::string_view segment, Slashes slashes)
{
    return slashes == Slashes::any || find_encoded_slash(segment) == std::string_view::npos;
}

bool fits(std::string_view pattern, std::string_view segment, Slashes slashes)
{
    return slashes == Slashes::any ? name_matches(pattern, segment) : segment_matches(pattern, segment);
}

/// The same walk one level up: "**" is to segments what "*" is to bytes. Going back to the last "**" only is enough
/// here too: whether a segment of the pattern takes encoded slashes is fixed, so an earlier "**" could not take more.
bool path_matches(const std::vector<std::string>& pattern, std::string_view path, Slashes slashes)
{
    std::size_t p = 0;
    std::size_t after_stars = std::string_view::npos;
    Segments segment(path);
    Segments resume = segment;
    while (!segment.at_end()) {
        if (p < pattern.size() && pattern[p] == "**") {
            after_stars = ++p;
            resume = segment;
        } else if (p < pattern.size() && fits(pattern[p], segment.front(), slashes)) {
            ++p;
            segment.next();
        } else if (after_stars != std::string_view::npos && star_may_take(resume.front(), slashes)) {
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

/// One spelling for all that a lenient server takes as the same: letters in lower case, and all that is not unreserved
/// as a triplet, so that "@", "%40" and every case of hex digits become one. What is in `kept` stays.
std::string widen(std::string_view path, std::string_view kept)
{
    constexpr std::string_view digits = "0123456789abcdef";
    std::string wide;
    wide.reserve(path.size());
    for (std::size_t i = 0; i < path.size(); ++i) {
        auto byte = static_cast<std::uint8_t>(path[i]);
        if (is_unreserved(byte) || kept.find(path[i]) != std::string_view::npos) {
            wide += byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte - 'A' + 'a') : path[i];
            continue;
        }
        if (const auto decoded = byte == '%' ? decode_triplet(path.substr(i)) : std::nullopt) {
            byte = *decoded;
            i += 2;
        }
        wide += '%';
        wide += digits[byte >> 4];
        wide += digits[byte & 0xf];
    }
    if (wide.size() > 1 && wide.ends_with('/'))
        wide.pop_back();
    return wide;
}

/// The reading of a server that decodes before it looks for slashes.
std::string decode_slashes(std::string_view path)
{
    std::string decoded;
    for (auto slash = find_encoded_slash(path); slash != std::string_view::npos; slash = find_encoded_slash(path)) {
        decoded.append(path.substr(0, slash)).append("/");
        path.remove_prefix(slash + encoded_slash_size);
    }
    return decoded.append(path);
}

bool has_encoded_slash(std::string_view path)
{
    return find_encoded_slash(path) != std::string_view::npos;
}

/// `**` is a whole segment, or all that follows the last encoded slash of one.
bool stars_stand_alone(std::string_view segment)
{
    if (segment == "**")
        return true;
    if (segment.ends_with("%2F**") || segment.ends_with("%2f**"))
        segment.remove_suffix(2);
    return segment.find("**") == std::string_view::npos;
}

} // namespace

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
        if (!stars_stand_alone(segment))
            return Error{quoted(text) + " has `**` beside other characters",
                         "let `**` be a whole segment, such as \"/v1/**\", or write `*` within a segment"};

    // A letter that is no hex digit in place of the stars: "%*" and "%4*" stay invalid.
    std::string plain(text);
    std::ranges::replace(plain, '*', 'g');
    if (read_path(plain) == PathReading::ambiguous)
        return Error{quoted(text) + " is ambiguous, and an ambiguous path is always refused",
                     "write it plainly: no dot segments, empty segments, backslashes, semicolons, encoded letters or "
                     "bytes outside ASCII"};
    pattern.wide_segments_ = split(widen(text, "/*"));
    if (has_encoded_slash(text))
        pattern.decoded_segments_ = split(widen(decode_slashes(text), "/*"));
    return pattern;
}

bool PathPattern::matches(std::string_view path) const
{
    return path.starts_with('/') && read_path(path) != PathReading::ambiguous &&
           path_matches(segments_, path, Slashes::kept);
}

bool PathPattern::could_match(std::string_view path) const
{
    if (!path.starts_with('/') || read_path(path) == PathReading::ambiguous)
        return false;
    if (path_matches(wide_segments_, widen(path, "/"), Slashes::any))
        return true;
    if (decoded_segments_.empty() && !has_encoded_slash(path))
        return false;
    return path_matches(decoded_segments_.empty() ? wide_segments_ : decoded_segments_,
                        widen(decode_slashes(path), "/"), Slashes::any);
}

} // namespace aduana::policy
