// SPDX-License-Identifier: Apache-2.0
// Parameters of a query or of a form: read in every way in which a framework could, changed in one.
#pragma once

#include "proxy/core/failure.hpp"
#include "proxy/core/slot.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace aduana::proxy {

/// application/x-www-form-urlencoded: "+" is a blank, "%5f" an underscore; a percent sign without digits stays.
[[nodiscard]] std::string form_decoded(std::string_view text);
/// A key as PHP makes a variable of it, which is the widest reading: blanks in front are dropped, other blanks and dots
/// are underscores, a NUL ends it, and what follows a bracket is an index.
[[nodiscard]] std::string parameter_name(std::string_view key);

/// Calls `visit(key, value)` for each part of `pairs` that some server takes for a parameter: "&" divides them, and for
/// some ";" does as well. `value` is a view into `pairs`, empty where there is no "=".
template <class Visit>
void for_each_parameter(std::string_view pairs, Visit visit)
{
    while (!pairs.empty()) {
        const auto pair = pairs.substr(0, pairs.find_first_of("&;"));
        const auto key = pair.substr(0, pair.find('='));
        visit(key, pair.substr(std::min(key.size() + 1, pair.size())));
        pairs.remove_prefix(std::min(pair.size() + 1, pairs.size()));
    }
}

/// Where the value of the parameter `name` (unreserved characters only) stands in `pairs`; nothing if it does not.
/// Fails with credential_misplaced where a server could find it twice, or find it where another does not: in another
/// case, as an array, behind a ";".
[[nodiscard]] Outcome<std::optional<Slot>> find_parameter(std::string_view pairs, std::string_view name);

} // namespace aduana::proxy
