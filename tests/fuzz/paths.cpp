// SPDX-License-Identifier: Apache-2.0
// Paths: the input is a pattern, a line feed and a path. No pattern ever matches what has a second reading.
#include "policy/path.hpp"

#include <cstdint>
#include <cstdlib>

namespace {

using namespace aduana::policy;

void require(bool holds)
{
    if (!holds)
        std::abort();
}

/// Spellings that the attacks on path rules are made of, looked for in the plainest way.
bool has_a_dangerous_spelling(std::string_view path)
{
    std::string lower(path);
    for (char& c : lower)
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    for (const std::string_view part :
         {"//", "/../", "/./", "\\", ";", "%2f", "%2e", "%5c", "%25", "%00", "?", "#", "%c0%"})
        if (lower.find(part) != std::string::npos)
            return true;
    return lower.ends_with("/..") || lower.ends_with("/.");
}

bool has_encoded_slash(std::string_view path)
{
    return path.find("%2f") != std::string_view::npos || path.find("%2F") != std::string_view::npos;
}

/// What a server makes of the path that decodes its slashes first.
std::string decoded(std::string_view path)
{
    std::string text(path);
    for (auto at = text.find("%2"); at != std::string::npos; at = text.find("%2", at + 1))
        if (text.substr(at + 2, 1) == "f" || text.substr(at + 2, 1) == "F")
            text.replace(at, 3, "/");
    return text;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size > 4096)
        return 0;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto line_end = text.find('\n');
    const std::string_view path = line_end == std::string_view::npos ? text : text.substr(line_end + 1);
    const auto reading = read_path(path);
    const bool ambiguous = reading == PathReading::ambiguous;
    require(reading != PathReading::plain || !has_a_dangerous_spelling(path));
    require(reading != PathReading::encoded_slash || read_path(decoded(path)) == PathReading::plain);

    const auto everything = PathPattern::parse("/**");
    require(everything && everything->matches(path) == (reading == PathReading::plain && path != "*"));
    if (const auto itself = PathPattern::parse(path))
        require(path.find('*') != std::string_view::npos || (itself->matches(path) && !ambiguous));

    const auto pattern = PathPattern::parse(text.substr(0, line_end));
    if (!pattern)
        return 0;
    require(!ambiguous || (!pattern->matches(path) && !pattern->could_match(path)));
    require(!pattern->matches(path) || pattern->could_match(path));
    require(!pattern->matches(path) || has_encoded_slash(path) == has_encoded_slash(pattern->text()));
    require(!pattern->could_match(decoded(path)) || ambiguous || pattern->could_match(path));
    return 0;
}
