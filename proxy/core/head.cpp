// SPDX-License-Identifier: Apache-2.0
// Look-ups in the fields of a head.
#include "proxy/core/head.hpp"

#include "proxy/core/grammar.hpp"

#include <algorithm>

namespace aduana::proxy {

bool same_name(std::string_view left, std::string_view right)
{
    return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                      [](char a, char b) { return ascii_lower(a) == ascii_lower(b); });
}

std::optional<std::string_view> Fields::find(std::string_view name) const
{
    for (const auto& field : list_) {
        if (same_name(field.name, name))
            return field.value;
    }
    return std::nullopt;
}

std::size_t Fields::count(std::string_view name) const
{
    return static_cast<std::size_t>(
        std::count_if(list_.begin(), list_.end(), [name](const Field& field) { return same_name(field.name, name); }));
}

bool Fields::has_token(std::string_view name, std::string_view token) const
{
    bool found = false;
    for (const auto& field : list_) {
        if (same_name(field.name, name))
            for_each_element(field.value, [&](std::string_view element) { found |= same_name(element, token); });
    }
    return found;
}

Fields FieldBuffer::fields() const
{
    Fields views;
    std::string_view rest = bytes_;
    for (const auto& [name, value] : sizes_) {
        views.add(rest.substr(0, name), rest.substr(name, value));
        rest.remove_prefix(name + value);
    }
    return views;
}

} // namespace aduana::proxy
