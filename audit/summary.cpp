// SPDX-License-Identifier: Apache-2.0
// The task record in at most 25 lines for a terminal.
#include "audit/task_record.hpp"
#include "audit/text.hpp"
#include "audit/time.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace aduana::audit {
namespace {

constexpr std::size_t max_rows = 5; ///< of one kind, before "and N more"
constexpr std::size_t label_width = 13;
constexpr std::size_t line_width = 100;

/// Puts `label` before the first of its rows, and blanks before the others.
class Rows {
public:
    Rows(std::string& out, std::string_view label) : out_(out), label_(label) {}

    void add(std::string_view text)
    {
        if (count_ == max_rows + 1)
            return;
        label_.resize(label_width, ' ');
        out_ += label_ + shortened(printable(text), line_width - label_width) + "\n";
        label_.clear();
        ++count_;
    }
    /// One row for each value, and one that counts the rest.
    template <class T, class Describe>
    void add_each(const std::vector<T>& values, const Describe& describe)
    {
        const std::size_t shown = values.size() > max_rows + 1 ? max_rows : values.size();
        for (std::size_t i = 0; i < shown; ++i)
            add(describe(values[i]));
        if (shown < values.size())
            add("and " + std::to_string(values.size() - shown) + " more");
        if (values.empty())
            add("none");
    }

private:
    std::string& out_;
    std::string label_;
    std::size_t count_ = 0;
};

std::string plural(std::uint64_t count, std::string_view noun)
{
    return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::string duration_of(const TaskRecord& record)
{
    const auto milliseconds = std::max<Micros>(record.end - record.start, 0) / 1000;
    std::array<char, 48> text{};
    std::snprintf(text.data(), text.size(), "%lld.%03lld s", static_cast<long long>(milliseconds / 1000),
                  static_cast<long long>(milliseconds % 1000));
    return text.data();
}

std::string describe_limit(const LimitRecord& limit)
{
    std::string text = limit.name + " " + limit.set;
    if (!limit.peak.empty())
        text += ", peak " + limit.peak;
    if (!limit.mechanism.empty())
        text += " (" + limit.mechanism + ")";
    return limit.hit ? text + "  ** hit **" : text;
}

std::string describe_destination(const DestinationRecord& destination)
{
    const bool v6 = destination.host.find(':') != std::string::npos;
    std::string text = destination.scheme.empty() ? std::string() : destination.scheme + "://";
    text += v6 ? "[" + destination.host + "]" : destination.host;
    text += ":" + std::to_string(destination.port) + "  " + plural(destination.requests, "request");
    if (!destination.reason.empty())
        return text + ", " + destination.reason;
    return text + ", " + short_size(destination.bytes_up) + " up, " + short_size(destination.bytes_down) + " down";
}

std::string joined(const std::vector<std::string>& values)
{
    std::string text;
    for (const std::string& value : values)
        text += (text.empty() ? "" : ", ") + value;
    return text.empty() ? "none" : text;
}

} // namespace

std::string summary(const TaskRecord& record)
{
    std::string out;
    Rows(out, "Task").add(record.task);
    Rows(out, "Command").add(command_line(record.command));
    Rows(out, "Result")
        .add("exit status " + std::to_string(record.exit_status) + " (" + record.cause + ") after " +
             duration_of(record));
    Rows(out, "Started").add(format_time(record.start));
    Rows(out, "Limits").add_each(record.limits, describe_limit);
    Rows(out, "Reached").add_each(record.reached, describe_destination);
    Rows(out, "Refused").add_each(record.refused, describe_destination);
    Rows(out, "Credentials").add(joined(record.credentials));
    Rows(out, "Files out")
        .add(std::to_string(record.files_out.size()) +
             (record.files_out_complete ? "" : " and more that are not listed"));
    Rows(out, "Journal").add(record.journal + ", " + plural(record.journal_seq, "line"));
    return out;
}

} // namespace aduana::audit
