// SPDX-License-Identifier: Apache-2.0
// What the scrubber promises, word for word, in a form that is too simple to be wrong: the whole text at once, one
// spelling after the other at each place, with and without escapes.
#pragma once

#include "proxy/core/scrub.hpp"
#include "proxy/core/spellings.hpp"

#include <algorithm>
#include <map>
#include <regex>

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

/// A byte, and which bytes of the original say it.
struct NaiveByte {
    char byte;
    std::size_t start;
    std::size_t end;
};
using NaiveText = std::vector<NaiveByte>;

inline std::string naive_bytes(const NaiveText& text)
{
    std::string bytes(text.size(), '\0');
    std::ranges::transform(text, bytes.begin(), &NaiveByte::byte);
    return bytes;
}

inline char naive_escape(const std::smatch& match)
{
    static const std::map<std::string, char> named{{"amp", '&'},    {"lt", '<'},     {"gt", '>'},   {"quot", '"'},
                                                   {"apos", '\''},  {"sol", '/'},    {"plus", '+'}, {"equals", '='},
                                                   {"lowbar", '_'}, {"period", '.'}, {"colon", ':'}};
    static const std::map<std::string, char> letters{{"b", '\b'}, {"f", '\f'}, {"n", '\n'},  {"r", '\r'}, {"t", '\t'},
                                                     {"\"", '"'}, {"/", '/'},  {"\\", '\\'}, {"'", '\''}};
    if (match[3].matched)
        return letters.at(match[3]);
    if (match[4].matched)
        return named.at(match[4]);
    const auto hex = match[2].matched ? match[2] : match[5].matched ? match[5] : match[6];
    const auto code = match[1].matched ? std::stoull(match[1], nullptr, 10) : std::stoull(hex, nullptr, 16);
    return code < 256 ? static_cast<char>(code) : '\x1a';
}

/// `begins`: of the escapes that are undone.
inline NaiveText unescape_naively(const NaiveText& text, std::string_view begins)
{
    static const std::regex escape(R"(&#([0-9]{1,12});?|&#[xX]([0-9a-fA-F]{1,12});?|\\([bfnrt"\\/'])|)"
                                   R"(&(amp|lt|gt|quot|apos|sol|plus|equals|lowbar|period|colon);|)"
                                   R"((?:%|\\x)([0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4}))");
    const auto bytes = naive_bytes(text);
    if (bytes.find_first_of(begins) == bytes.npos)
        return text;
    NaiveText out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        std::smatch match;
        const auto here = bytes.begin() + static_cast<std::ptrdiff_t>(at);
        const bool candidate = begins.find(bytes[at]) != std::string_view::npos;
        if (!candidate ||
            !std::regex_search(here, bytes.end(), match, escape, std::regex_constants::match_continuous)) {
            out.push_back(text[at++]);
            continue;
        }
        const auto size = static_cast<std::size_t>(match.length());
        out.push_back({naive_escape(match), text[at].start, text[at + size - 1].end});
        at += size;
    }
    return out;
}

/// The length of a spelling at `start`, line breaks in it included, or 0.
inline std::size_t naive_length(std::string_view text, std::size_t start, const proxy::Spelling& spelling)
{
    const std::string_view base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const auto line_break = [&](std::size_t at) -> std::size_t {
        const auto rest = text.substr(at);
        const std::size_t end = rest.starts_with("\n") ? 1 : rest.starts_with("\r\n") ? 2 : 0;
        const auto size = std::min({rest.find_first_not_of(" \t", end), rest.size(), std::size_t{66}});
        const bool full = end != 0 && at >= 16 && text.substr(at - 16, 16).find_first_not_of(base64) == text.npos;
        return full ? size : 0;
    };
    std::size_t at = start;
    for (std::size_t i = 0; i < spelling.bytes.size(); ++i, ++at) {
        if (at < text.size() && text[at] == spelling.bytes[i])
            continue;
        at += spelling.wraps && i != 0 && at < text.size() ? line_break(at) : 0;
        if (at >= text.size() || text[at] != spelling.bytes[i])
            return 0;
    }
    return at - start;
}

inline std::string replace_naively(std::string_view text, const std::vector<proxy::Spelling>& spellings)
{
    NaiveText whole;
    for (std::size_t at = 0; at < text.size(); ++at)
        whole.push_back({text[at], at, at + 1});
    std::vector<NaiveText> layers{whole};
    for (const std::string_view begins : {"%\\&", "%", "\\", "&"}) {
        auto layer = whole;
        for (int i = begins.size() == 3 ? 0 : 1; i < 3; ++i) {
            const auto size = layer.size();
            layer = unescape_naively(layer, begins);
            if (layer.size() == size) // every escape is longer than what it says: there was none
                break;
            layers.push_back(layer);
        }
    }
    std::map<char, std::vector<const proxy::Spelling*>> by_first_byte;
    for (const auto& spelling : spellings)
        by_first_byte[spelling.bytes.front()].push_back(&spelling);
    std::vector<std::pair<std::size_t, std::size_t>> spans;
    for (const auto& layer : layers) {
        const auto bytes = naive_bytes(layer);
        for (std::size_t at = 0; at < bytes.size(); ++at) {
            const auto candidates = by_first_byte.find(bytes[at]);
            if (candidates == by_first_byte.end())
                continue;
            std::size_t longest = 0;
            for (const auto* const spelling : candidates->second)
                longest = std::max(longest, naive_length(bytes, at, *spelling));
            if (longest != 0)
                spans.emplace_back(layer[at].start, layer[at + longest - 1].end);
        }
    }
    std::ranges::sort(spans);
    std::string out;
    std::size_t end = 0;
    for (const auto& [start, its_end] : spans) {
        if (start >= end) {
            out.append(text.substr(end, start - end)).append(proxy::scrubbed_text);
            end = its_end;
        }
        end = std::max(end, its_end);
    }
    return out.append(text.substr(end));
}

} // namespace aduana::test
