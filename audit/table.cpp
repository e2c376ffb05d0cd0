// SPDX-License-Identifier: Apache-2.0
// Events of a journal for people: chosen, and as an aligned table.
#include "audit/table.hpp"

#include "audit/parsed_line.hpp"
#include "audit/text.hpp"
#include "audit/time.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

namespace aduana::audit {
namespace {

enum Column : std::size_t {
    time,
    event,
    decision,
    reason,
    method,
    destination,
    status,
    up,
    down,
    credential,
    rule,
    columns
};

constexpr std::array<std::string_view, columns> headings{
    "TIME", "EVENT", "DECISION", "REASON", "METHOD", "DESTINATION", "STATUS", "UP", "DOWN", "CREDENTIAL", "RULE"};
constexpr std::array<std::size_t, columns> widest{24, 16, 10, 28, 10, 64, 6, 6, 6, 24, 24};

using Row = std::array<std::string, columns>;
/// Task, kind ("request", "tunnel") and id.
using Span = std::tuple<std::string, std::string, std::uint64_t>;

bool is_number(std::size_t column)
{
    return column == status || column == up || column == down;
}

/// "2026-01-31 23:59:59.000": what fits beside the rest; the JSON has all digits.
std::string short_time(std::string text)
{
    if (!parse_time(text))
        return text;
    text[10] = ' ';
    return text.substr(0, 23);
}

std::string destination_of(const ParsedLine& line)
{
    const std::string host = line.text("host");
    if (host.empty())
        return {};
    const std::string bracketed = host.find(':') == std::string::npos ? host : "[" + host + "]";
    return bracketed + ":" + std::to_string(line.number("port")) + line.text("path");
}

std::string number_text(const ParsedLine& line, std::string_view name)
{
    const auto* value = line.members.if_contains(name);
    return value && value->is_int64() ? std::to_string(value->get_int64()) : std::string();
}

std::string size_text(const ParsedLine& line, std::string_view name)
{
    return line.has(name) ? short_size(line.number(name)) : std::string();
}

/// The members of events that are no exchange with a destination, under the headings that fit them best.
void fill_others(Row& row, const ParsedLine& line)
{
    if (line.event == "task.start")
        row[destination] = line.text("command");
    else if (line.event == "task.end") {
        row[reason] = line.text("cause");
        row[status] = number_text(line, "exit_status");
    } else if (line.event == "policy.load")
        row[reason] = number_text(line, "allow_rules") + " allow, " + number_text(line, "deny_rules") + " deny";
    else if (line.event == "dns") {
        row[reason] = line.text("answer");
        row[method] = line.text("type");
        row[destination] = line.text("name");
    } else if (line.event == "lease.revoke")
        row[reason] = line.text("why");
    else if (line.event == "placeholder") {
        row[decision] = line.text("verdict");
        row[reason] = line.text("alarm");
        row[destination] = "(" + line.text("place") + " of request " + number_text(line, "id") + ")";
    } else if (line.event == "capture")
        row[destination] =
            "(" + number_text(line, "count") + " in the answer to request " + number_text(line, "id") + ")";
    else if (line.event == "limit.hit") {
        row[reason] = line.text("limit");
        row[destination] = line.text("detail");
    }
}

Row row_of(const ParsedLine& line)
{
    Row row;
    row[time] = short_time(line.time);
    row[event] = line.event;
    row[decision] = line.text("decision");
    row[reason] = line.text("reason");
    row[method] = line.text("method");
    row[destination] = destination_of(line);
    row[status] = line.number("status") == 0 ? std::string() : number_text(line, "status");
    row[up] = size_text(line, "bytes_up");
    row[down] = size_text(line, "bytes_down");
    row[credential] = line.text("credential");
    row[rule] = line.text("rule");
    fill_others(row, line);
    if (const auto who = line.text("ended_by"); !who.empty())
        row[reason] += (row[reason].empty() ? "cut off: " : ", cut off: ") + who;
    for (std::size_t i = 0; i < columns; ++i)
        row[i] = shortened(printable(row[i]), widest[i]);
    return row;
}

std::vector<Row> rows_of(const std::vector<ReadEvent>& events)
{
    std::set<Span> ended;
    std::vector<ParsedLine> lines;
    for (const ReadEvent& read : events) {
        auto line = parse_line(read.json);
        if (!line || line->event == "checkpoint")
            continue;
        ended.insert({line->task, line->event, line->number("id")});
        lines.push_back(std::move(*line));
    }
    std::vector<Row> rows;
    for (const ParsedLine& line : lines) {
        const auto dot = line.event.find(".start");
        const bool shown_by_its_end =
            dot != std::string::npos && ended.contains({line.task, line.event.substr(0, dot), line.number("id")});
        if (!shown_by_its_end)
            rows.push_back(row_of(line));
    }
    return rows;
}

void append_row(std::string& out, const Row& row, const std::array<std::size_t, columns>& widths)
{
    std::string line;
    for (std::size_t i = 0; i < columns; ++i) {
        if (widths[i] == 0)
            continue;
        const std::string padding(widths[i] - width_of(row[i]), ' ');
        line += (line.empty() ? "" : "  ") + (is_number(i) ? padding + row[i] : row[i] + padding);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
}

/// The record keeps the policy's verdict, also where the request was refused for another reason later.
bool was_refused(const ParsedLine& line)
{
    const auto reason = line.text("reason");
    return line.event == "request" && reason != "allowed" && reason != "metadata-answered";
}

bool fits(const ParsedLine& line, const std::string& decision)
{
    // Who passes through unseen was let through; its event has no decision of its own.
    const bool unseen = line.event.starts_with("tunnel") || line.event.starts_with("tcp");
    return line.text("decision") == decision || (decision == "deny" && was_refused(line)) ||
           (decision == "allow" && unseen);
}

} // namespace

std::vector<ReadEvent> select(const std::vector<ReadEvent>& events, const EventFilter& filter)
{
    std::vector<ReadEvent> chosen;
    for (const ReadEvent& read : events) {
        const auto time = parse_time(read.time);
        const bool too_old = filter.since && time && *time < *filter.since;
        if (too_old || (filter.task && read.task != *filter.task))
            continue;
        const auto line = parse_line(read.json);
        if (!filter.decision || (line && fits(*line, *filter.decision)))
            chosen.push_back(read);
    }
    return chosen;
}

std::string table(const std::vector<ReadEvent>& events)
{
    const std::vector<Row> rows = rows_of(events);
    if (rows.empty())
        return {};
    std::array<std::size_t, columns> widths{};
    for (std::size_t i = 0; i < columns; ++i) {
        for (const Row& row : rows)
            widths[i] = std::max(widths[i], width_of(row[i]));
        if (widths[i] > 0)
            widths[i] = std::max(widths[i], headings[i].size());
    }
    Row heading;
    std::copy(headings.begin(), headings.end(), heading.begin());
    std::string out;
    append_row(out, heading, widths);
    for (const Row& row : rows)
        append_row(out, row, widths);
    return out;
}

} // namespace aduana::audit
