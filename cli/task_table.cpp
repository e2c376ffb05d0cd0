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

template <std::size_t Columns>
using Cells = std::array<std::string, Columns>;

std::string time_of(const serve::TaskRow& row)
{
    return audit::format_time(static_cast<audit::Micros>(row.since));
}

Cells<5> cells_of(const serve::TaskRow& row)
{
    return {row.task, std::to_string(row.pid), time_of(row), sanitised(row.policy_file, Newlines::replace),
            sanitised(row.command, Newlines::replace)};
}

Cells<6> cells_of(const LeaseRow& row)
{
    const auto& lease = row.lease;
    return {row.task,
            sanitised(lease.credential, Newlines::replace),
            sanitised(lease.lease, Newlines::replace),
            audit::format_time(lease.issued),
            audit::format_time(lease.ends),
            std::to_string(lease.uses_left)};
}

template <std::size_t Columns>
std::string aligned(const std::vector<Cells<Columns>>& lines)
{
    std::array<std::size_t, Columns> width{};
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

template <std::size_t Columns, class Row>
std::string table_of(const Cells<Columns>& head, const std::vector<Row>& rows)
{
    std::vector<Cells<Columns>> lines{head};
    for (const auto& row : rows)
        lines.push_back(cells_of(row));
    return aligned(lines);
}

} // namespace

std::string task_table(const std::vector<serve::TaskRow>& rows)
{
    return table_of<5>({"TASK", "PID", "SINCE", "POLICY", "COMMAND"}, rows);
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

std::string lease_table(const std::vector<LeaseRow>& rows)
{
    return table_of<6>({"TASK", "CREDENTIAL", "LEASE", "ISSUED", "ENDS", "USES LEFT"}, rows);
}

std::string lease_json(const std::vector<LeaseRow>& rows)
{
    boost::json::array list;
    for (const auto& row : rows)
        list.push_back(boost::json::object{{"task", row.task},
                                           {"credential", sanitised(row.lease.credential, Newlines::replace)},
                                           {"lease", sanitised(row.lease.lease, Newlines::replace)},
                                           {"issued", audit::format_time(row.lease.issued)},
                                           {"ends", audit::format_time(row.lease.ends)},
                                           {"uses_left", row.lease.uses_left}});
    return boost::json::serialize(list) + "\n";
}

} // namespace aduana::cli
