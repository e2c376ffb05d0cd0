// SPDX-License-Identifier: Apache-2.0
// Text that a sandbox may have chosen, made fit for a terminal and for JSON.
#include "audit/text.hpp"

#include "certs/utf8.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace aduana::audit {
namespace {

struct Range {
    char32_t first;
    char32_t last;
};

/// Unicode general categories Cc, Zl, Zp, and of Cf what reorders or hides text ("Trojan Source", CVE-2021-42574).
constexpr std::array unsafe{Range{0x00, 0x1F},     Range{0x7F, 0x9F},     Range{0xAD, 0xAD},
                            Range{0x61C, 0x61C},   Range{0x180E, 0x180E}, Range{0x200B, 0x200F},
                            Range{0x2028, 0x202E}, Range{0x2060, 0x206F}, Range{0xFE00, 0xFE0F},
                            Range{0xFEFF, 0xFEFF}, Range{0xFFF9, 0xFFFB}, Range{0xE0000, 0xE0FFF}};

bool is_unsafe(char32_t point)
{
    return std::any_of(unsafe.begin(), unsafe.end(),
                       [point](const Range& range) { return point >= range.first && point <= range.last; });
}

bool is_plain_word(std::string_view word)
{
    return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("-_./:=@%+,").find(c) != std::string_view::npos;
    });
}

} // namespace

std::string printable(std::string_view text)
{
    std::string safe;
    safe.reserve(text.size());
    while (!text.empty()) {
        const certs::CodePoint point = certs::first_code_point(text);
        if (!point.valid || is_unsafe(point.value))
            safe += '?';
        else
            safe += text.substr(0, point.size);
        text.remove_prefix(point.size);
    }
    return safe;
}

std::string valid_utf8(std::string_view text)
{
    std::string valid;
    valid.reserve(text.size());
    while (!text.empty()) {
        const certs::CodePoint point = certs::first_code_point(text);
        valid += point.valid ? text.substr(0, point.size) : "\xEF\xBF\xBD";
        text.remove_prefix(point.size);
    }
    return valid;
}

std::size_t width_of(std::string_view text)
{
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string shortened(std::string_view text, std::size_t width)
{
    if (width_of(text) <= width)
        return std::string(text);
    std::string cut;
    for (std::size_t taken = 0; taken + 1 < width; ++taken) {
        const std::size_t size = certs::first_code_point(text).size;
        cut += text.substr(0, size);
        text.remove_prefix(size);
    }
    return cut + "…";
}

std::string short_size(std::uint64_t bytes)
{
    constexpr std::string_view units = "KMGTPE";
    if (bytes < 1024)
        return std::to_string(bytes);
    double value = static_cast<double>(bytes) / 1024;
    std::size_t unit = 0;
    // 1023.95 would be shown as 1024.0: that is the next unit's 1.0.
    while (value >= 1023.95 && unit + 1 < units.size()) {
        value /= 1024;
        ++unit;
    }
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), value < 9.95 ? "%.1f%c" : "%.0f%c", value, units[unit]);
    return text.data();
}

std::string command_line(const std::vector<std::string>& words)
{
    std::string line;
    for (const std::string& word : words) {
        if (!line.empty())
            line += ' ';
        if (is_plain_word(word)) {
            line += word;
            continue;
        }
        line += '\'';
        for (const char c : word)
            line += c == '\'' ? std::string("'\\''") : std::string(1, c);
        line += '\'';
    }
    return line;
}

} // namespace aduana::audit
