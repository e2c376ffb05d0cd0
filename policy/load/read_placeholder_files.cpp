// SPDX-License-Identifier: Apache-2.0
// `files` of a placeholder: formats that are known, and texts of the operator's own.
#include "policy/load/characters.hpp"
#include "policy/load/read_placeholder.hpp"
#include "policy/quote.hpp"

#include <algorithm>
#include <array>

namespace aduana::policy::load {

namespace {

using Format = PlaceholderFile::Format;

struct Word {
    std::string_view word;
    Format format;
};
constexpr std::array words{Word{"npmrc", Format::npmrc}, Word{"netrc", Format::netrc}, Word{"docker", Format::docker},
                           Word{"aws", Format::aws}, Word{"gcp", Format::gcp}};
constexpr std::array<std::string_view, 2> text_keys{"path", "content"};
constexpr KeyTable text_table{"a file", text_keys};

constexpr std::size_t longest_path = 255;
constexpr std::size_t longest_content = 16 * std::size_t{1024};
constexpr std::string_view certificates = ".pki"; ///< the database of Chromium

bool is_name(std::string_view name)
{
    return !name.empty() && name != "." && name != ".." && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("._-@+").find(c) != std::string_view::npos;
    });
}

/// A path that cannot leave the home, whatever the program that reads it makes of special characters.
bool is_below_home(std::string_view path)
{
    if (path.size() > longest_path || path.substr(0, path.find('/')) == certificates)
        return false;
    for (std::size_t at = 0; at <= path.size();) {
        const auto end = std::min(path.find('/', at), path.size());
        if (!is_name(path.substr(at, end - at)))
            return false;
        at = end + 1;
    }
    return true;
}

/// One of them would have to be a folder for the other.
bool is_above(std::string_view folder, std::string_view path)
{
    return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

void take(std::string_view path, Format format, const Node& node, const CredentialDeclaration& credential,
          TakenPlaces& taken, Mistakes& mistakes)
{
    for (const auto& [other, file] : taken.files) {
        const bool joins = other == path && is_shared(format) && file.format == format;
        const bool again = joins && file.credential == credential.name;
        const bool collides = (other == path && !joins) || is_above(other, path) || is_above(path, other);
        if (again || collides) {
            mistakes.add(node.place, Mistake::file_taken, {quoted(path), quoted(other), ticked(file.credential)});
            return;
        }
    }
    taken.files.insert_or_assign(std::string(path), TakenPlaces::File{credential.name, format});
}

bool names_a_host(const CredentialDeclaration& credential)
{
    return std::any_of(credential.destinations.begin(), credential.destinations.end(), [](const auto& bound) {
        return std::any_of(bound.hosts.begin(), bound.hosts.end(),
                           [](const auto& host) { return host.kind() == HostPattern::Kind::exact; });
    });
}

PlaceholderFile read_known(const Node& node, const CredentialDeclaration& credential, Mistakes& mistakes)
{
    const auto* known =
        std::find_if(words.begin(), words.end(), [&](const Word& one) { return one.word == node.text; });
    if (known == words.end()) {
        mistakes.add(node.place, Mistake::file_unknown, {quoted(node.text)});
        return {};
    }
    if (is_shared(known->format) && !names_a_host(credential))
        mistakes.add(node.place, Mistake::file_without_host, {ticked(node.text), ticked(credential.name)});
    return {known->format};
}

PlaceholderFile read_own(const Node& node, Mistakes& mistakes)
{
    const Fields fields(node, entry_of("files"), text_table, mistakes);
    PlaceholderFile file;
    const auto* path = fields.require("path", "`path: .config/tool/token`");
    const auto* content = fields.require("content", "`content: \"token = {}\"`");
    const auto where = path ? read_text(*path, "`path`", mistakes) : std::nullopt;
    const auto what = content ? read_text(*content, "`content`", mistakes) : std::nullopt;
    if (where && !is_below_home(*where))
        mistakes.add(path->place, Mistake::file_path_invalid, {quoted(*where)});
    if (what && (what->find("{}") == what->npos || what->size() > longest_content))
        mistakes.add(content->place, Mistake::file_content_invalid);
    file.path = where.value_or("");
    file.content = what.value_or("");
    return file;
}

} // namespace

void read_placeholder_files(const Node& node, CredentialDeclaration& credential, TakenPlaces& taken, Mistakes& mistakes)
{
    for (const auto& item : read_filled_list(node, "`files`", "name a file, or remove `files`", mistakes)) {
        auto file = item.kind == Node::Kind::scalar ? read_known(item, credential, mistakes) : read_own(item, mistakes);
        const bool has_tokens = file.format != Format::gcp || credential.metadata == MetadataService::gcp;
        if ((file.format == Format::aws) != credential.placeholder_is_aws || !has_tokens)
            mistakes.add(item.place, Mistake::file_unfit, {ticked(credential.name)});
        for (const auto path : paths_of(file)) {
            if (!path.empty())
                take(path, file.format, item, credential, taken, mistakes);
        }
        credential.placeholder_files.push_back(std::move(file));
    }
}

} // namespace aduana::policy::load
