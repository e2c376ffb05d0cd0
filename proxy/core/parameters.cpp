// SPDX-License-Identifier: Apache-2.0
// The strict reading finds the place, the wide one must not find another.
#include "proxy/core/parameters.hpp"

#include "proxy/core/grammar.hpp"

#include <algorithm>
#include <charconv>

namespace aduana::proxy {

namespace {

/// One byte, decoded. Shortens `text`.
char take_decoded(std::string_view& text)
{
    unsigned value = 0;
    if (text.size() >= 3 && text[0] == '%') {
        const auto [end, error] = std::from_chars(text.data() + 1, text.data() + 3, value, 16);
        if (error == std::errc() && end == text.data() + 3) {
            text.remove_prefix(3);
            return static_cast<char>(value);
        }
    }
    const char plain = text.front() == '+' ? ' ' : text.front();
    text.remove_prefix(1);
    return plain;
}

/// The names that a server may fold `name` to are compared in the same way.
bool could_be(std::string_view key, std::string_view name)
{
    return same_slot(parameter_name(key), parameter_name(name));
}

} // namespace

std::string form_decoded(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    while (!text.empty())
        out.push_back(take_decoded(text));
    return out;
}

std::string parameter_name(std::string_view key)
{
    std::string name = form_decoded(key);
    name.erase(0, std::min(name.find_first_not_of(' '), name.size()));
    name.resize(std::min(name.find('\0'), name.size()));
    if (const auto bracket = name.find('[', 1); bracket != std::string::npos)
        name.resize(bracket);
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c == ' ' || c == '.' || c == '['; }, '_');
    return name;
}

Outcome<std::optional<Slot>> find_parameter(std::string_view pairs, std::string_view name)
{
    std::size_t readings = 0;
    for_each_parameter(pairs, [&](std::string_view key, std::string_view) { readings += could_be(key, name) ? 1 : 0; });
    if (readings == 0)
        return std::optional<Slot>();
    std::optional<Slot> slot;
    for (std::size_t start = 0; start < pairs.size();) {
        const auto pair = pairs.substr(start, pairs.find('&', start) - start);
        const auto equals = pair.find('=');
        const bool divided = pair.find(';') != std::string_view::npos;
        if (!divided && equals != std::string_view::npos && form_decoded(pair.substr(0, equals)) == name)
            slot = Slot{start + equals + 1, pair.size() - equals - 1};
        start += pair.size() + 1;
    }
    if (readings != 1 || !slot)
        return Failure{policy::Reason::credential_misplaced, Party::client,
                       "the parameter " + std::string(name) + " must stand in it once, as " + std::string(name) +
                           "=VALUE, or not at all"};
    return slot;
}

} // namespace aduana::proxy
