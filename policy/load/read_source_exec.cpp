// SPDX-License-Identifier: Apache-2.0
// `exec`: a command as a list, what it finds in its environment, and how it prints.
#include "policy/load/read_source.hpp"
#include "policy/load/source_values.hpp"
#include "policy/load/values.hpp"
#include "policy/quote.hpp"

#include <array>

namespace aduana::policy::load {

namespace {

constexpr std::array<std::string_view, 3> exec_keys{"command", "environment", "output"};
constexpr KeyTable exec_table{"`exec`", exec_keys};
constexpr std::array<std::string_view, 3> outputs{"json", "line", "aws"};
constexpr std::array by_word{ExecOutput::json, ExecOutput::line, ExecOutput::aws};

// They travel in one message, and an argument is no place for a document.
constexpr std::size_t most_texts = 32;
constexpr std::size_t longest_text = 1024;

std::string read_short(const Node& node, std::string_view label, Mistakes& mistakes)
{
    auto text = read_text(node, label, mistakes);
    if (text && (text->size() > longest_text || has_control(*text)))
        mistakes.add(node.place, Mistake::exec_text_invalid, {label});
    return text.value_or("");
}

void check_count(const Node& node, std::string_view label, std::size_t count, Mistakes& mistakes)
{
    if (count > most_texts)
        mistakes.add(node.place, Mistake::list_too_long,
                     {label, std::to_string(most_texts), "put the rest into a file that the program reads"});
}

std::vector<std::string> read_command(const Node& node, Mistakes& mistakes)
{
    std::vector<std::string> command;
    const auto items = read_filled_list(node, "`command`", "write the program's path, then its arguments", mistakes);
    check_count(node, "`command`", items.size(), mistakes);
    for (const auto& item : items) {
        if (command.empty())
            command.push_back(read_plain_path(item, "the program of `command`", mistakes).value_or("/"));
        else
            command.push_back(read_short(item, entry_of("command"), mistakes));
    }
    return command;
}

std::vector<std::pair<std::string, std::string>> read_variables(const Node& node, Mistakes& mistakes)
{
    std::vector<std::pair<std::string, std::string>> variables;
    const auto entries = read_map(node, "`environment`", "names of variables", mistakes);
    check_count(node, "`environment`", entries.size(), mistakes);
    for (const auto& [name, place, value] : entries) {
        if (!is_variable(name))
            mistakes.add(place, Mistake::variable_invalid, {quoted(name)});
        variables.emplace_back(name, read_short(value, entry_of("environment"), mistakes));
    }
    return variables;
}

} // namespace

ExecSource read_exec(const Node& node, Mistakes& mistakes)
{
    const Fields fields(node, "`exec`", exec_table, mistakes);
    ExecSource source;
    if (const auto* command = fields.require("command", "`command: [/PROGRAM, ARGUMENT]`"))
        source.command = read_command(*command, mistakes);
    if (const auto* environment = fields.find("environment"))
        source.environment = read_variables(*environment, mistakes);
    source.output = by_word[find_choice(fields, "output", outputs, mistakes)];
    return source;
}

} // namespace aduana::policy::load
