// SPDX-License-Identifier: Apache-2.0
// A task has few of them.
#include "proxy/core/placeholders.hpp"

#include <algorithm>

namespace aduana::proxy {

std::string_view Placeholders::of(std::string_view credential) const
{
    const auto found = std::ranges::find(known_, credential, &KnownPlaceholder::credential);
    return found == known_.end() ? std::string_view() : std::string_view(found->value);
}

} // namespace aduana::proxy
