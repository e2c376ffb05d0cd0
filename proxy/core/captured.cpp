// SPDX-License-Identifier: Apache-2.0
// One value has one placeholder, however often it is answered with.
#include "proxy/core/captured.hpp"

#include "policy/https_url.hpp"
#include "policy/path_segments.hpp"
#include "proxy/core/basic.hpp"
#include "proxy/core/foreign.hpp"
#include "proxy/core/grammar.hpp"
#include "proxy/core/placeholder_search.hpp"

#include <algorithm>

namespace aduana::proxy {

namespace {

constexpr std::string_view base32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
constexpr std::uint16_t https_port = 443;

Failure uncapturable(std::string detail)
{
    return {policy::Reason::response_uncapturable, Party::upstream, std::move(detail)};
}

void add(std::vector<CapturedPlace>& places, const policy::HostPattern& host, std::uint16_t port)
{
    CapturedPlace place{host, port};
    if (std::ranges::find(places, place) == places.end())
        places.push_back(std::move(place));
}

Outcome<Ok> add_exact(std::vector<CapturedPlace>& places, const policy::Host& host, std::uint16_t port)
{
    const auto pattern = policy::HostPattern::parse(host.text());
    if (!pattern)
        return uncapturable("its credential is for a host that no rule could name");
    add(places, *pattern, port);
    return Ok{};
}

/// A refresh token is for whom it came from alone (RFC 6749 section 1.5).
Outcome<std::vector<CapturedPlace>> places_of(const Derived& derived, const Target& answering)
{
    std::vector<CapturedPlace> places;
    const auto hosts = derived.refreshes ? std::vector<policy::HostPattern>() : derived.rule->hosts;
    for (const auto& host : hosts) {
        add(places, host, https_port);
        add(places, host, answering.port);
    }
    if (derived.rule->at_href && !derived.href.empty()) {
        const auto url = policy::HttpsUrl::parse(derived.href);
        if (!url)
            return uncapturable("its credential is for an address that is no https URL");
        const auto added = add_exact(places, url->host, url->port);
        if (!added)
            return added.error();
    }
    if (!places.empty())
        return places;
    const auto added = add_exact(places, answering.host, answering.port);
    if (!added)
        return added.error();
    return places;
}

Captured::Clock::time_point end_of(const Derived& derived, Captured::Clock::time_point now)
{
    const std::chrono::milliseconds most = derived.rule->ttl;
    return now + (derived.expires_in ? std::min<std::chrono::milliseconds>(*derived.expires_in, most) : most);
}

std::string core_of(std::string_view text)
{
    std::string core;
    find_cores(text, [&core](std::string_view found) { core = found; });
    return core;
}

/// "Bearer " of "Bearer x"; empty if there is no scheme.
std::string_view scheme_of(std::string_view value)
{
    const auto blank = value.find(' ');
    return blank != value.npos && is_token(value.substr(0, blank)) ? value.substr(0, blank + 1) : std::string_view();
}

} // namespace

bool CapturedValue::is_for(const Target& target, std::string_view bound) const
{
    return target.scheme == policy::Scheme::https && (bound.empty() || bound == credential) &&
           std::ranges::any_of(places, [&target](const CapturedPlace& place) {
               return place.port == target.port && place.host.matches(target.host);
           });
}

const CapturedValue* Captured::with_core(std::string_view core) const
{
    const auto found = values_.find(core);
    return found == values_.end() ? nullptr : &found->second;
}

const CapturedValue* Captured::behind(std::string_view placeholder) const
{
    const auto* const found = with_core(core_of(placeholder));
    return found != nullptr && found->placeholder == placeholder ? found : nullptr;
}

const CapturedValue* Captured::of(const Secret& value) const
{
    const auto found = std::ranges::find_if(
        values_, [&value](const auto& entry) { return entry.second.value.reveal() == value.reveal(); });
    return value.empty() || found == values_.end() ? nullptr : &found->second;
}

CapturedValue* Captured::find(const Secret& value)
{
    const auto* const known = of(value);
    return known == nullptr ? nullptr : &values_.find(core_of(known->placeholder))->second;
}

Outcome<const CapturedValue*> Captured::keep(const Derived& derived, const CaptureContext& context,
                                             std::string placeholder)
{
    expire(context.now);
    auto places = places_of(derived, context.answering);
    if (!places)
        return places.error();
    const auto ends = end_of(derived, context.now);
    auto* const known = find(derived.value);
    // Another credential's is another's, even if the service gives both the same value.
    if (known != nullptr && known->credential == context.credential) {
        for (const auto& place : *places)
            add(known->places, place.host, place.port);
        known->ends = std::max(known->ends, ends);
        return known;
    }
    if (values_.size() >= most)
        std::erase_if(values_, [](const auto& entry) { return entry.second.value.empty(); });
    if (values_.size() >= most)
        return uncapturable("4096 derived credentials of this task are in use already");
    const auto core = core_of(placeholder);
    CapturedValue kept{std::move(placeholder),
                       derived.value.duplicate(),
                       std::string(context.credential),
                       context.replaces_foreign,
                       derived.refreshes,
                       std::move(*places),
                       ends};
    return &values_.insert_or_assign(core, std::move(kept)).first->second;
}

void Captured::expire(Clock::time_point now)
{
    for (auto& [core, kept] : values_) {
        if (kept.ends <= now)
            kept.value = Secret();
    }
}

std::string placeholder_of(std::string_view random)
{
    std::string out(core_mark);
    for (const char byte : random.substr(0, core_size - core_mark.size()))
        out.push_back(base32[static_cast<unsigned char>(byte) % base32.size()]);
    return out;
}

std::optional<CapturedUse> find_captured(const RequestHead& head, const Captured& captured)
{
    for (const auto& field : head.fields) {
        if (captured.empty() || !is_credential_field(field.name) || same_slot(field.name, "Cookie"))
            continue;
        const auto basic = read_basic(field.value);
        const auto pair = basic.value_or("");
        const auto colon = pair.find(':');
        const auto scheme = basic ? std::string_view() : scheme_of(field.value);
        const auto sent = basic ? std::string_view(pair).substr(colon + 1)
                                : trim(std::string_view(field.value).substr(scheme.size()));
        const auto* const value = captured.behind(sent);
        if (value == nullptr)
            continue;
        return CapturedUse{std::string(field.name), std::string(scheme),
                           basic ? std::optional(pair.substr(0, colon)) : std::nullopt, value};
    }
    return std::nullopt;
}

broker::HeaderField field_of(const CapturedUse& use)
{
    const auto value = use.value->value.reveal();
    if (use.user)
        return {use.field, Secret::copy_of(write_basic(*use.user, value).reveal())};
    const FilledText whole(use.scheme, {use.scheme.size(), 0}, value);
    return {use.field, Secret::copy_of(whole.reveal())};
}

Secret form_encoded(const Secret& value)
{
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string out;
    out.reserve(3 * value.size()); // growing would leave a copy behind
    for (const char c : value.reveal()) {
        const auto byte = static_cast<unsigned char>(c);
        if (policy::is_unreserved(byte))
            out.push_back(c);
        else
            out.append({'%', digits[byte >> 4], digits[byte & 0xf]});
    }
    auto encoded = Secret::copy_of(out);
    wipe(out);
    return encoded;
}

std::vector<Secret> spelled_out(const Secret& value)
{
    std::vector<Secret> all;
    const auto whole = value.reveal();
    const auto scheme = scheme_of(whole);
    if (!scheme.empty())
        all.push_back(Secret::copy_of(whole.substr(scheme.size())));
    if (auto basic = read_basic(whole)) {
        all.push_back(Secret::copy_of(std::string_view(*basic).substr(basic->find(':') + 1)));
        wipe(*basic);
    }
    return all;
}

} // namespace aduana::proxy
