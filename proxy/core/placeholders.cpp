// SPDX-License-Identifier: Apache-2.0
// Every core that is found is known or an alarm; where it stands and where it goes decide the rest.
#include "proxy/core/placeholders.hpp"

#include "proxy/core/basic.hpp"
#include "proxy/core/grammar.hpp"

#include <algorithm>

namespace aduana::proxy {

namespace {

/// `verdict` for what is known and not bound here.
void add(std::vector<Sighting>& seen, std::string_view place, const KnownPlaceholder* known, Unbound verdict)
{
    Sighting sighting{known == nullptr ? std::string() : known->credential, place, verdict};
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
            const auto* known = placeholders.with_core(core);
            if (known == nullptr || known->credential != bound)
                add(seen, place, known, known == nullptr ? Unbound::refuse : known->in_head);
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
        const auto* known = placeholders_.with_core(core);
        if (known != nullptr && known->credential == bound_)
            return;
        const auto verdict = known == nullptr ? Unbound::pass : known->in_body;
        refuses_ = refuses_ || verdict == Unbound::refuse;
        // One is as telling as a thousand, and foreign ones are as many as the sandbox can make up.
        add(seen_, "body", known, verdict);
    });
}

} // namespace aduana::proxy
