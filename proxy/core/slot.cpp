// SPDX-License-Identifier: Apache-2.0
// One buffer of the right size: growing would leave a copy of the value behind.
#include "proxy/core/slot.hpp"

namespace aduana::proxy {

FilledText::FilledText(std::string_view text, Slot slot, std::string_view value)
{
    const auto before = text.substr(0, slot.start);
    const auto after = text.substr(slot.start + slot.size);
    bytes_.reserve(before.size() + value.size() + after.size());
    for (const auto part : {before, value, after})
        bytes_.insert(bytes_.end(), part.begin(), part.end());
}

} // namespace aduana::proxy
