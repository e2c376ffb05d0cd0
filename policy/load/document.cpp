// SPDX-License-Identifier: Apache-2.0
// The only user of yaml-cpp. It is driven by its events, because its own tree hides what must be refused: it takes
// the first of duplicate keys, follows aliases, and drops tags without a word.
#include "policy/load/document.hpp"

#include "policy/load/characters.hpp"
#include "policy/load/tree_builder.hpp"

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>
#include <string>

namespace aduana::policy::load {

namespace {

constexpr std::size_t longest_text = std::size_t{1} << 20U;

std::string hexadecimal(char32_t code)
{
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string out;
    for (unsigned shift = 24; shift > 0; shift -= 4) {
        const auto digit = (code >> (shift - 4)) & 0xFU;
        if (digit != 0 || shift <= 16 || !out.empty())
            out.push_back(digits[digit]);
    }
    return out;
}

void check_character(std::string_view text, std::size_t at, Character character, Mistakes& mistakes)
{
    const bool line_end = text[at] == '\n' || (text[at] == '\r' && at + 1 < text.size() && text[at + 1] == '\n');
    if (line_end || (character.valid && character.printable()))
        return;
    const auto place = mistakes.place_of(at);
    if (!character.valid)
        mistakes.add(place, Mistake::not_utf8);
    else if (text[at] == '\t')
        mistakes.add(place, Mistake::tab);
    else
        mistakes.add(place, Mistake::character_refused, {hexadecimal(character.code)});
}

/// yaml-cpp replaces bad UTF-8, takes the byte 0x04 for the end of the file and guesses UTF-16: it gets no such text.
bool check_characters(std::string_view text, Mistakes& mistakes)
{
    for (std::size_t at = 0; at < text.size();) {
        const auto character = character_at(text, at);
        check_character(text, at, character, mistakes);
        at += character.size;
    }
    return !mistakes.any();
}

/// Directives can stand only before the document: `%TAG` could give a new meaning to what follows.
void check_directives(std::string_view text, Mistakes& mistakes)
{
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at), at = at == text.npos ? at : at + 1) {
        const auto first = text.find_first_not_of(" \r", at);
        if (first == text.npos || (text[first] != '\n' && text[first] != '#' && text[first] != '%'))
            return;
        if (text[at] == '%')
            mistakes.add(mistakes.place_of(at), Mistake::directive);
    }
}

/// yaml-cpp marks an unfinished list behind the end of the file, and a lone star one character too far.
Place place_of(const YAML::Exception& error, std::string_view text, const TreeBuilder& builder,
               const Mistakes& mistakes)
{
    const auto offset = mistakes.offset_of(builder.place_of(error.mark));
    const auto last = text.find_last_not_of(" \r\n");
    if (offset > 0 && error.msg == YAML::ErrorMsg::ALIAS_NOT_FOUND)
        return mistakes.place_of(offset - 1);
    return mistakes.place_of(last == text.npos ? offset : std::min(offset, last));
}

void report(const YAML::Exception& error, std::string_view text, const TreeBuilder& builder, Mistakes& mistakes)
{
    const std::string_view message = error.msg;
    if (message == YAML::ErrorMsg::DOC_IN_SCALAR) {
        mistakes.add(builder.last_place(), Mistake::quote_open);
        return;
    }
    const auto place = place_of(error, text, builder, mistakes);
    const bool star = text.substr(mistakes.offset_of(place)).starts_with('*');
    if (star)
        mistakes.add(place, Mistake::star_unquoted);
    else
        mistakes.add(place, Mistake::syntax, {message});
}

} // namespace

std::optional<Node> parse_document(std::string_view text, Mistakes& mistakes)
{
    if (text.size() > longest_text) {
        mistakes.add({}, Mistake::file_too_long);
        return std::nullopt;
    }
    if (!check_characters(text, mistakes))
        return std::nullopt;
    check_directives(text, mistakes);

    // The explicit end makes yaml-cpp refuse a quoted value that is still open; at the end of the file it closes it.
    std::istringstream stream(std::string(text) + (text.ends_with('\n') ? "...\n" : "\n...\n"));
    TreeBuilder builder(text, mistakes);
    try {
        YAML::Parser parser(stream);
        parser.HandleNextDocument(builder);
        // What follows is no document that anybody meant; its first event tells that it is there.
        parser.HandleNextDocument(builder);
    } catch (const YAML::DeepRecursion&) {
        return std::nullopt; // the builder has reported the ninth level
    } catch (const YAML::Exception& error) {
        report(error, text, builder, mistakes);
        return std::nullopt;
    }
    auto root = std::move(builder).root();
    if (root.kind == Node::Kind::empty) {
        mistakes.add({}, Mistake::file_empty);
        return std::nullopt;
    }
    return root;
}

} // namespace aduana::policy::load
