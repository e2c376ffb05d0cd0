// SPDX-License-Identifier: Apache-2.0
// Pairs are kept as they were written, and one of them is ours.
#include "proxy/core/cookies.hpp"

#include "proxy/core/grammar.hpp"

#include <string>

namespace aduana::proxy {

FilledText with_cookie(const Fields& fields, std::string_view name, std::string_view value)
{
    std::string others;
    for (const auto& field : fields) {
        if (!same_slot(field.name, "Cookie"))
            continue;
        for (auto rest = field.value; !rest.empty();) {
            const auto end = rest.find(';');
            const auto pair = trim(rest.substr(0, end));
            if (!pair.empty() && !same_name(trim(pair.substr(0, pair.find('='))), name))
                others.append(pair).append("; ");
            rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
        }
    }
    others.append(name).append("=");
    return {others, {others.size(), 0}, value};
}

} // namespace aduana::proxy
