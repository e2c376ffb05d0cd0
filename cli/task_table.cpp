// SPDX-License-Identifier: Apache-2.0
// Columns as wide as their widest cell.
#include "cli/task_table.hpp"

#include "audit/time.hpp"
#include "cli/say.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <array>

namespace aduana::cli {

namespace {

using Cells = std::array<std::string, 5>;

std::string time_of(const serve::TaskRow& row)
{
    return audit::format_time(static_cast<audit::Micros>(row.since));
}

Cells cells_of(const serve::TaskRow& row)
{
    return {row.task, std::to_string(row.pid), time_of(row), sanitised(row.policy_file, Newlines::replace),
            sanitised(row.command, Newlines::replace)};
}

} // namespace

std::string task_table(const std::vector<serve::TaskRow>& rows)
{
    std::vector<Cells> lines{{"TASK", "PID", "SINCE", "POLICY", "COMMAND"}};
    for (const auto& row : rows)
        lines.push_back(cells_of(row));
    std::array<std::size_t, 5> width{};
    for (const auto& line : lines)
        for (std::size_t i = 0; i < line.size(); ++i)
            width[i] = std::max(width[i], line[i].size());
    std::string text;
    for (const auto& line : lines) {
        for (std::size_t i = 0; i + 1 < line.size(); ++i)
            text += line[i] + std::string(width[i] - line[i].size() + 2, ' ');
        text += line.back() + "\n";
    }
    return text;
}

std::string task_json(const std::vector<serve::TaskRow>& rows)
{
    boost::json::array list;
    for (const auto& row : rows)
        list.push_back(boost::json::object{{"task", row.task},
                                           {"pid", row.pid},
                                           {"since", time_of(row)},
                                           {"policy", sanitised(row.policy_file, Newlines::replace)},
                                           {"command", sanitised(row.command, Newlines::replace)}});
    return boost::json::serialize(list) + "\n";
}

} // namespace aduana::cli
