// SPDX-License-Identifier: Apache-2.0
// Too much is captured rather than too little.
#include "policy/capture.hpp"

#include "policy/path_segments.hpp"

#include <algorithm>

namespace aduana::policy {

namespace {

constexpr char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Percent-decoded twice over, in lower case.
std::string flattened(std::string_view path)
{
    std::string flat(path);
    for (int round = 0; round < 2; ++round) {
        std::string decoded;
        for (std::size_t i = 0; i < flat.size(); ++i) {
            const auto byte = flat[i] == '%' ? decode_triplet(std::string_view(flat).substr(i)) : std::nullopt;
            decoded.push_back(lower(byte ? static_cast<char>(*byte) : flat[i]));
            i += byte ? 2 : 0;
        }
        flat = std::move(decoded);
    }
    return flat;
}

bool may_mean(const PathPattern& pattern, std::string_view path)
{
    const auto& text = pattern.text();
    const auto last = flattened(std::string_view(text).substr(text.rfind('/') + 1));
    return last.find('*') != last.npos || flattened(path).find(last) != std::string::npos;
}

bool same_ignoring_case(std::string_view left, std::string_view right)
{
    return std::ranges::equal(left, right, {}, lower, lower);
}

} // namespace

bool CaptureRule::applies_to(std::string_view method, std::string_view path) const
{
    const auto is_asked = [method](std::string_view listed) { return same_ignoring_case(listed, method); };
    if (!methods.empty() && std::ranges::none_of(methods, is_asked))
        return false;
    const bool ambiguous = read_path(path) == PathReading::ambiguous;
    return std::ranges::any_of(paths, [&](const PathPattern& pattern) {
        return ambiguous ? may_mean(pattern, path) : pattern.could_match(path);
    });
}

} // namespace aduana::policy
