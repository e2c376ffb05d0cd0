// SPDX-License-Identifier: Apache-2.0
// Paths of rules: two walks of the same shape, one over the segments of a path and one over the bytes of a segment.
#include "policy/path.hpp"

#include "policy/path_segments.hpp"
#include "policy/quote.hpp"

#include <algorithm>

namespace aduana::policy {
namespace {

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

/// All that is not unreserved as an upper-case triplet: "@", "%40" and every case of hex digits become one. What is in
/// `kept` stays.
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
