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

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size > 4096)
        return 0;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto line_end = text.find('\n');
    const std::string_view path = line_end == std::string_view::npos ? text : text.substr(line_end + 1);
    const bool ambiguous = path_is_ambiguous(path);
    require(ambiguous || !has_a_dangerous_spelling(path));

    const auto everything = PathPattern::parse("/**");
    require(everything && everything->matches(path) == (!ambiguous && path != "*"));
    if (const auto itself = PathPattern::parse(path))
        require(path.find('*') != std::string_view::npos || (itself->matches(path) && !ambiguous));

    const auto pattern = PathPattern::parse(text.substr(0, line_end));
    if (!pattern)
        return 0;
    require(!ambiguous || (!pattern->matches(path) && !pattern->could_match(path)));
    require(!pattern->matches(path) || pattern->could_match(path));
    return 0;
}
