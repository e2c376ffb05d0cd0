// SPDX-License-Identifier: Apache-2.0
// The Cookie fields of a request with one cookie of our own.
#pragma once

#include "proxy/core/grammar.hpp"
#include "proxy/core/head.hpp"
#include "proxy/core/slot.hpp"

#include <algorithm>

namespace aduana::proxy {

/// Calls `visit(name, value)` for each cookie of all Cookie fields (RFC 6265 section 4.2.1).
template <class Visit>
void for_each_cookie(const Fields& fields, Visit visit)
{
    for (const auto& field : fields) {
        if (!same_slot(field.name, "Cookie"))
            continue;
        for (auto rest = field.value; !rest.empty();) {
            const auto pair = trim(rest.substr(0, rest.find(';')));
            const auto name = pair.substr(0, pair.find('='));
            if (!pair.empty())
                visit(trim(name), trim(pair.substr(std::min(name.size() + 1, pair.size()))));
            rest.remove_prefix(std::min(rest.find(';'), rest.size() - 1) + 1);
        }
    }
}

/// All pairs of all Cookie fields but those named `name`, whatever the case, then "name=value" (RFC 6265 section
/// 4.2.1). HTTP/2 clients send several fields (RFC 9113 section 8.2.3); this is one.
[[nodiscard]] FilledText with_cookie(const Fields& fields, std::string_view name, std::string_view value);

} // namespace aduana::proxy
