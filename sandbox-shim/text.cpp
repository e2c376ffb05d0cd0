// SPDX-License-Identifier: Apache-2.0
// Numbers, words and paths as people read and write them.
#include "sandbox-shim/text.hpp"

#include <algorithm>
#include <array>

namespace aduana::shim {

std::string size_text(std::uint64_t bytes)
{
    static constexpr std::array<const char*, 5> units = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    std::size_t unit = 0;
    while (unit + 1 < units.size() && bytes != 0 && bytes % 1024 == 0) {
        bytes /= 1024;
        ++unit;
    }
    return std::to_string(bytes) + " " + units[unit];
}

std::string milli_text(std::uint32_t thousandths)
{
    std::string fraction = std::to_string(thousandths % 1000 + 1000).substr(1);
    while (!fraction.empty() && fraction.back() == '0')
        fraction.pop_back();
    return std::to_string(thousandths / 1000) + (fraction.empty() ? "" : "." + fraction);
}

std::string shell_quoted(std::string_view word)
{
    const auto plain = [](unsigned char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("-_./:=@,+%").find(static_cast<char>(c)) != std::string_view::npos;
    };
    if (!word.empty() && std::all_of(word.begin(), word.end(), plain))
        return std::string(word);

    std::string quoted = "'";
    for (const char c : word) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '\'')
            quoted += "'\\''";
        else
            quoted += byte < 0x20 || byte == 0x7f ? '?' : c;
    }
    return quoted + "'";
}

std::string shell_line(const std::vector<std::string>& words)
{
    std::string line;
    for (const std::string& word : words)
        line += (line.empty() ? "" : " ") + shell_quoted(word);
    return line;
}

bool within(std::string_view path, std::string_view folder)
{
    if (folder == "/")
        return true;
    return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

std::vector<std::string_view> split(std::string_view text, char separator)
{
    std::vector<std::string_view> parts;
    while (true) {
        const std::size_t end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos)
            return parts;
        text.remove_prefix(end + 1);
    }
}

} // namespace aduana::shim
