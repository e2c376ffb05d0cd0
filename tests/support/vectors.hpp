// SPDX-License-Identifier: Apache-2.0
// Reads the files of tests/vectors: one case in a line, columns between " | ", C-like escapes, "#" for remarks.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace aduana::test {

/// \r \n \t \0 \\ \xHH, and \{C*N} for N times the character C.
inline std::string unescape(std::string_view text)
{
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '\\') {
            out.push_back(text[at]);
            continue;
        }
        const char kind = text.at(++at);
        if (kind == 'x') {
            out.push_back(static_cast<char>(std::stoi(std::string(text.substr(at + 1, 2)), nullptr, 16)));
            at += 2;
        } else if (kind == '{') {
            const auto end = text.find('}', at);
            out.append(std::stoul(std::string(text.substr(at + 3, end - at - 3))), text[at + 1]);
            at = end;
        } else {
            constexpr std::string_view names = "rnt0\\";
            constexpr std::string_view bytes("\r\n\t\0\\", 5);
            out.push_back(bytes.at(names.find(kind)));
        }
    }
    return out;
}

using Row = std::vector<std::string>;

inline Row split_row(std::string_view line)
{
    constexpr std::string_view separator = " | ";
    Row row;
    while (true) {
        const auto end = line.find(separator);
        row.push_back(unescape(line.substr(0, end)));
        if (end == std::string_view::npos)
            return row;
        line.remove_prefix(end + separator.size());
    }
}

/// The rows of tests/vectors/NAME, each of which must have `columns` columns.
inline std::vector<Row> read_vectors(const std::string& name, std::size_t columns)
{
    std::ifstream file(std::string(ADUANA_SOURCE_DIR) + "/tests/vectors/" + name);
    EXPECT_TRUE(file) << name << " cannot be read";
    std::vector<Row> rows;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line.front() == '#')
            continue;
        rows.push_back(split_row(line));
        EXPECT_EQ(rows.back().size(), columns) << name << ": " << line;
    }
    return rows;
}

} // namespace aduana::test
