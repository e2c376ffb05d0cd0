// SPDX-License-Identifier: Apache-2.0
// The scrub set is built anew for each new value and shared by the responses that run.
#include "proxy/shell/injected_values.hpp"

#include <algorithm>

namespace aduana::proxy {

bool InjectedValues::knows(const Secret& value) const
{
    return std::any_of(values_.begin(), values_.end(),
                       [&value](const Secret& known) { return known.reveal() == value.reveal(); });
}

void InjectedValues::add(const std::vector<Secret>& values)
{
    const auto before = values_.size();
    for (const auto& value : values) {
        if (!value.empty() && !knows(value))
            values_.push_back(value.duplicate());
    }
    if (values_.size() == before)
        return;
    std::vector<const Secret*> all;
    all.reserve(values_.size());
    for (const auto& value : values_)
        all.push_back(&value);
    set_ = std::make_shared<const ScrubSet>(ScrubSet::of(all));
}

} // namespace aduana::proxy
