// SPDX-License-Identifier: Apache-2.0
// Every core that is found is known or an alarm; where it stands and where it goes decide the rest.
#include "proxy/core/placeholders.hpp"

#include "proxy/core/basic.hpp"
#include "proxy/core/grammar.hpp"

#include <algorithm>

namespace aduana::proxy {

namespace {

/// Where a request goes, and the credential of the rule that lets it through.
struct Destination {
    const Target& target;
    std::string_view bound;
};

enum class Part : std::uint8_t { head, body };

/// What is wrong with a placeholder in this part of a request; nothing where it is at home.
std::optional<Sighting> judge(const Placeholders& placeholders, std::string_view core, const Destination& destination,
                              Part part)
{
    const bool in_head = part == Part::head;
    if (const auto* derived = placeholders.captured().with_core(core)) {
        if (derived->is_for(destination.target, destination.bound) && !(in_head && derived->refreshes))
            return std::nullopt;
        return Sighting{derived->credential, "", in_head ? Unbound::refuse : Unbound::pass};
    }
    const auto* known = placeholders.with_core(core);
    if (known == nullptr)
        return Sighting{"", "", in_head ? Unbound::refuse : Unbound::pass};
    if (known->credential == destination.bound)
        return std::nullopt;
    return Sighting{known->credential, "", in_head ? known->in_head : known->in_body};
}

/// One is as telling as a thousand, and foreign ones are as many as the sandbox can make up.
void add(std::vector<Sighting>& seen, std::string_view place, Sighting sighting)
{
    sighting.place = place;
    if (std::ranges::find(seen, sighting) == seen.end())
        seen.push_back(std::move(sighting));
}

} // namespace

Placeholders::Placeholders(std::vector<KnownPlaceholder> known) : known_(std::move(known))
{
    for (std::size_t i = 0; i < known_.size(); ++i)
        find_cores(known_[i].value, [&](std::string_view core) { by_core_.emplace(core, i); });
}

std::string_view Placeholders::of(std::string_view credential) const
{
    const auto found = std::ranges::find(known_, credential, &KnownPlaceholder::credential);
    return found == known_.end() ? std::string_view() : std::string_view(found->value);
}

const KnownPlaceholder* Placeholders::with_core(std::string_view core) const
{
    const auto found = by_core_.find(core);
    return found == by_core_.end() ? nullptr : &known_[found->second];
}

std::vector<Sighting> find_unbound(const RequestHead& head, const Target& target, const Placeholders& placeholders,
                                   std::string_view bound)
{
    std::vector<Sighting> seen;
    const auto look = [&](std::string_view text, std::string_view place) {
        find_cores(text, [&](std::string_view core) {
            if (auto sighting = judge(placeholders, core, {target, bound}, Part::head))
                add(seen, place, std::move(*sighting));
        });
    };
    look(target.path, "path");
    look(target.query, "query");
    for (const auto& field : head.fields) {
        if (tells_placeholder(field.name, field.value))
            continue;
        look(field.name, "head");
        look(field.value, "head");
        if (const auto basic = read_basic(field.value))
            look(*basic, "head");
    }
    return seen;
}

Failure failure_of(const Sighting& sighting)
{
    const auto where = sighting.place == "head" || sighting.place == "body"
                           ? "its " + std::string(sighting.place)
                           : "the " + std::string(sighting.place) + " of its target";
    if (sighting.credential.empty())
        return {policy::Reason::placeholder_foreign, Party::client, "a placeholder of another task stands in " + where};
    return {policy::Reason::placeholder_unbound, Party::client,
            "the placeholder of credential " + sighting.credential + " stands in " + where +
                ", and the credential is not for this request"};
}

bool tells_placeholder(std::string_view field_name, std::string_view value)
{
    bool found = false;
    if (same_slot(field_name, "Referer") || same_slot(field_name, "Origin"))
        find_cores(value, [&found](std::string_view) { found = true; });
    return found;
}

void BodyWatch::feed(std::string_view piece)
{
    search_.feed(piece, [this](std::string_view core) {
        auto sighting = judge(placeholders_, core, {target_, bound_}, Part::body);
        if (!sighting)
            return;
        refuses_ = refuses_ || sighting->verdict == Unbound::refuse;
        add(seen_, "body", std::move(*sighting));
    });
}

} // namespace aduana::proxy
