// SPDX-License-Identifier: Apache-2.0
// Whole segments only: a part of one could be a name of the client's choice.
#include "proxy/core/path_segment.hpp"

#include "policy/path_segments.hpp"

#include <optional>

namespace aduana::proxy {

namespace {

Failure misplaced(std::string_view segment)
{
    return {policy::Reason::credential_misplaced, Party::client,
            "one segment of the path must be " + std::string(segment) + " with the placeholder instead of {}"};
}

} // namespace

Outcome<Slot> find_segment(std::string_view path, std::string_view segment, std::string_view placeholder)
{
    const auto hole = segment.find("{}");
    if (hole == std::string_view::npos || !path.starts_with('/'))
        return misplaced(segment);
    const auto before = segment.substr(0, hole);
    const auto after = segment.substr(hole + 2);
    std::optional<Slot> found;
    std::size_t start = 1;
    for (policy::Segments at(path); !at.at_end(); at.next()) {
        const auto whole = at.front();
        const bool fits = whole.size() == before.size() + placeholder.size() + after.size() &&
                          whole.starts_with(before) && whole.ends_with(after) &&
                          whole.substr(before.size(), placeholder.size()) == placeholder;
        const bool rival = !found && !fits && segment.size() > 2 && whole.size() > before.size() + after.size() &&
                           whole.starts_with(before) && whole.ends_with(after);
        if (rival || (fits && found))
            return misplaced(segment);
        if (fits)
            found = Slot{start + before.size(), placeholder.size()};
        start += whole.size() + 1;
    }
    if (!found)
        return misplaced(segment);
    return *found;
}

} // namespace aduana::proxy
