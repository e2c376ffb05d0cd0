// SPDX-License-Identifier: Apache-2.0
// What the scrubber promises, word for word, in a form that is too simple to be wrong: the whole text at once, one
// spelling after the other at each place.
#pragma once

#include "proxy/core/scrub.hpp"
#include "proxy/core/spellings.hpp"

#include <algorithm>

namespace aduana::test {

inline std::vector<proxy::Spelling> all_spellings(const std::vector<std::string>& values)
{
    std::vector<proxy::Spelling> all;
    for (const auto& value : values) {
        for (auto& spelling : proxy::spellings_of(value))
            all.push_back(std::move(spelling));
    }
    return all;
}

inline std::string replace_naively(std::string_view text, const std::vector<proxy::Spelling>& spellings)
{
    const std::string_view base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const auto line_break = [&](std::size_t at) -> std::size_t {
        const auto full = at >= 60 && text.substr(at - 60, 60).find_first_not_of(base64) == text.npos;
        const auto rest = text.substr(at);
        return !full ? 0 : rest.starts_with("\n") ? 1 : rest.starts_with("\r\n") ? 2 : 0;
    };
    const auto length = [&](std::size_t start, const proxy::Spelling& spelling) -> std::size_t {
        std::size_t at = start;
        for (std::size_t i = 0; i < spelling.bytes.size(); ++i, ++at) {
            if (text.substr(at, 1) == spelling.bytes.substr(i, 1))
                continue;
            at += spelling.wraps && i != 0 ? line_break(at) : 0;
            if (text.substr(std::min(at, text.size()), 1) != spelling.bytes.substr(i, 1))
                return 0;
        }
        return at - start;
    };
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t longest = 0;
        for (const auto& spelling : spellings)
            longest = std::max(longest, length(at, spelling));
        if (longest == 0)
            out.push_back(text[at++]);
        else
            out.append(proxy::scrubbed_text);
        at += longest;
    }
    return out;
}

} // namespace aduana::test
