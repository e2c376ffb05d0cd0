// SPDX-License-Identifier: Apache-2.0
// Ranges of addresses that may be dialled although they are not public.
#include "policy/load/values.hpp"

#include "policy/address.hpp"
#include "policy/load/messages.hpp"
#include "policy/quote.hpp"

namespace aduana::policy::load {

namespace {

/// The range lies in a metadata service, or is the part of the link-local block around one: somebody is after it.
/// Wider ranges are fine, because `vet` takes metadata addresses out of them.
bool names_metadata(const Cidr& range)
{
    const auto text = range.to_string();
    const auto base = Ip::parse(text.substr(0, text.find('/')));
    if (!base)
        return false;
    const auto base_class = classify(*base);
    const auto metadata = Ip::v4({169, 254, 169, 254});
    return base_class == AddressClass::metadata || (base_class == AddressClass::link_local && range.contains(metadata));
}

} // namespace

std::vector<Cidr> read_addresses(const Node& node, Mistakes& mistakes)
{
    std::vector<Cidr> ranges;
    const auto items = read_filled_list(node, "`addresses`", "remove the key: public addresses need none", mistakes);
    for (const auto& item : items) {
        const auto text = read_text(item, entry_of("addresses"), mistakes);
        if (!text)
            continue;
        const auto range = Cidr::parse(*text);
        if (!range)
            mistakes.add(item.place, Mistake::address_invalid, {range.error().message, range.error().remedy});
        else if (names_metadata(*range))
            mistakes.add(item.place, Mistake::address_metadata, {quoted(*text)});
        else
            ranges.push_back(*range);
    }
    return ranges;
}

} // namespace aduana::policy::load
