// SPDX-License-Identifier: Apache-2.0
// The decision, step by step. `allow` is read narrowly and `deny` widely: where a server could be lenient, the request
// is refused.
//
//   1. Rules that name the host and fit scheme and port take part; the others only serve to explain a refusal. A deny
//      rule without a scheme or without ports denies all of them.
//   2. A port of a host is raw TCP or it is not: the first allow rule that names both says which, and rules of the
//      other kind take no part there. So no request of a host can be hidden in a raw connection to it by chance.
//   3. A deny rule without methods and paths decides at once. One with methods or paths decides when the request is
//      known, and until then asks for a look into the connection. Its methods are compared without regard to case, its
//      paths in every reading that some server has (PathPattern::could_match).
//   4. What is for a metadata service of the task needs no allow rule: it is answered here. It speaks HTTP without TLS
//      and has no WebSockets; what asks for those, the rules decide. A path with a second reading is refused here if a
//      deny rule looks at paths.
//   5. Without any allow rule left, the refusal names the nearest one: right host but other scheme, then other port.
//   6. Raw TCP cannot be looked into: the first allow rule decides, unless a deny rule would need a look.
//   7. TRACE (it echoes injected credentials) and CONNECT inside a connection are refused whatever a rule says.
//   8. https to a host under `tls: tunnel` is never looked into: the first allow rule with host and port alone decides.
//      If there is none, or a deny rule needs a look, the connection is refused: it could not be judged.
//   9. While the connection is set up, it needs a look if the first allow rule that takes part, or a deny rule, looks
//      at requests. It is enough to ask the first one: a rule with host and port alone fits every request.
//  10. A request with an ambiguous path is refused if any rule that takes part looks at paths, whichever would decide.
//      (Allow rules behind one that fits every request take no part.) With encoded slashes only, it is refused unless
//      the rule that decides has them in its path: then they are what the operator means, and deny rules have looked at
//      both readings.
//  11. What the preset of a rule that takes part closes is refused, whichever rule would decide; it is read as widely
//      as a deny rule. Some presets close parameters of the query and header fields, too.
//  12. The first allow rule that fits method, path and WebSocket decides; its verdict is that of the connection. If
//      none fits, the nearest one explains the refusal: by the WebSocket, else by the path, else by the method.
//
// So what the set-up denies, no request could have passed; and a connection that is let through unseen would have
// passed every request.
#include "policy/decide.hpp"

#include <algorithm>
#include <utility>

namespace aduana::policy {
namespace {

using Rules = std::vector<const Rule*>;

Decision refuse(Reason reason, const Rule* rule)
{
    return Decision{Verdict::deny, reason, rule};
}

bool scheme_fits(const Rule& rule, const Attempt& attempt)
{
    return !rule.scheme || *rule.scheme == attempt.scheme;
}

bool port_fits(const Rule& rule, std::uint16_t port)
{
    return rule.ports.empty() || std::ranges::find(rule.ports, port) != rule.ports.end();
}

bool is_raw(const Rule& rule)
{
    return rule.scheme == Scheme::tcp;
}

/// The rules of a host that fit scheme and port, in file order.
Rules taking_part(const std::vector<Rule>& rules, const std::vector<std::uint32_t>& named, const Attempt& attempt)
{
    Rules fitting;
    for (const std::uint32_t index : named)
        if (scheme_fits(rules[index], attempt) && port_fits(rules[index], attempt.port))
            fitting.push_back(&rules[index]);
    return fitting;
}

bool same_ignoring_case(std::string_view left, std::string_view right)
{
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return std::ranges::equal(left, right, {}, lower, lower);
}

bool is_never_forwarded(std::string_view method)
{
    return same_ignoring_case(method, "TRACE") || same_ignoring_case(method, "CONNECT");
}

/// An unknown path is the empty one, which is ambiguous: it is refused wherever a rule looks at paths.
std::string_view path_of(const Attempt& attempt)
{
    return attempt.path.value_or("");
}

bool allow_fits_method(const Rule& rule, std::string_view method)
{
    return rule.methods.empty() || std::ranges::find(rule.methods, method) != rule.methods.end();
}

bool allow_fits_path(const Rule& rule, const Attempt& attempt)
{
    return rule.paths.empty() ||
           std::ranges::any_of(rule.paths, [&](const PathPattern& path) { return path.matches(path_of(attempt)); });
}

bool denies(const Rule& rule, const Attempt& attempt)
{
    if (rule.methods.empty() && rule.paths.empty())
        return true;
    if (!attempt.method)
        return false;
    const bool method_fits = rule.methods.empty() || std::ranges::any_of(rule.methods, [&](const std::string& method) {
                                 return same_ignoring_case(method, *attempt.method);
                             });
    const bool path_fits = rule.paths.empty() || std::ranges::any_of(rule.paths, [&](const PathPattern& path) {
                               return path.could_match(path_of(attempt));
                           });
    return method_fits && path_fits;
}

/// The allow rule that says whether the port is raw TCP; null where none names it.
const Rule* holder_of_port(const TaskPolicy& policy, const std::vector<std::uint32_t>& named, std::uint16_t port)
{
    const auto found =
        std::ranges::find_if(named, [&](std::uint32_t index) { return port_fits(policy.allow()[index], port); });
    return found == named.end() ? nullptr : &policy.allow()[*found];
}

/// No allow rule takes part: the host is not named, or with another scheme or port.
Decision explain_connection(const TaskPolicy& policy, const std::vector<std::uint32_t>& named, const Attempt& attempt)
{
    if (named.empty())
        return refuse(Reason::no_rule, nullptr);
    for (const std::uint32_t index : named)
        if (scheme_fits(policy.allow()[index], attempt))
            return refuse(Reason::port_not_allowed, &policy.allow()[index]);
    return refuse(Reason::scheme_not_allowed, &policy.allow()[named.front()]);
}

Decision decide_raw(const Rules& denials, const Rules& candidates)
{
    if (!denials.empty())
        return refuse(Reason::denied_by_rule, denials.front());
    return Decision{Verdict::allow, Reason::allowed, candidates.front()};
}

Decision decide_tunnel(const Rules& denials, const Rules& candidates)
{
    const auto plain = std::ranges::find_if(candidates, [](const Rule* rule) { return !rule->inspects(); });
    if (!denials.empty() || plain == candidates.end())
        return refuse(Reason::tls_pinned, candidates.front());
    return Decision{Verdict::allow, Reason::allowed, *plain};
}

void drop_rules_without_effect(Rules& candidates)
{
    const auto fits_every_request = std::ranges::find_if(
        candidates, [](const Rule* rule) { return !rule->names_requests() && rule->allows_websocket(); });
    if (fits_every_request != candidates.end())
        candidates.erase(fits_every_request + 1, candidates.end());
}

bool looks_at_requests(const Rules& rules)
{
    return std::ranges::any_of(rules, [](const Rule* rule) { return rule->names_requests(); });
}

bool looks_at_paths(const Rule* rule)
{
    return !rule->paths.empty();
}

/// The first rule to which a second reading of the path would matter; null where there is none.
const Rule* first_by_path(const Rules& candidates, const Rules& denials)
{
    for (const Rules* const rules : {&candidates, &denials})
        if (const auto rule = std::ranges::find_if(*rules, looks_at_paths); rule != rules->end())
            return *rule;
    return nullptr;
}

bool is_answered_here(const Attempt& attempt)
{
    return attempt.metadata_service && attempt.scheme != Scheme::https && !attempt.websocket;
}

/// Deny rules have let it pass. A connection is answered: what comes in it is judged again.
Decision decide_answer(const Rules& denials, const Attempt& attempt)
{
    const Rule* const by_path = first_by_path({}, denials);
    if (attempt.path && by_path != nullptr && read_path(*attempt.path) != PathReading::plain)
        return refuse(Reason::path_ambiguous, by_path);
    return Decision{Verdict::answer, Reason::metadata_answered};
}

/// The first rule that fits, or the nearest one with what it lacks.
Decision first_that_fits(const Rules& candidates, const Attempt& attempt, Verdict verdict)
{
    const Rule* fits_method = nullptr;
    const Rule* fits_all_but_websocket = nullptr;
    for (const Rule* const rule : candidates) {
        if (!allow_fits_method(*rule, attempt.method.value_or("")))
            continue;
        fits_method = fits_method == nullptr ? rule : fits_method;
        if (!allow_fits_path(*rule, attempt))
            continue;
        if (!attempt.websocket || rule->allows_websocket())
            return Decision{verdict, Reason::allowed, rule};
        fits_all_but_websocket = fits_all_but_websocket == nullptr ? rule : fits_all_but_websocket;
    }
    if (fits_all_but_websocket != nullptr)
        return refuse(Reason::websocket_not_allowed, fits_all_but_websocket);
    if (fits_method != nullptr)
        return refuse(Reason::path_not_allowed, fits_method);
    return refuse(Reason::method_not_allowed, candidates.front());
}

Decision decide_request(const Rules& denials, Rules candidates, const Attempt& attempt, Verdict verdict)
{
    drop_rules_without_effect(candidates);
    const auto reading = read_path(path_of(attempt));
    const Rule* const by_path = first_by_path(candidates, denials);
    if (reading == PathReading::ambiguous && by_path != nullptr)
        return refuse(Reason::path_ambiguous, by_path);
    const auto closing = std::ranges::find_if(
        candidates, [&attempt](const Rule* rule) { return rule->preset.closes(question_of(attempt)).has_value(); });
    if (closing != candidates.end())
        return refuse(Reason::closed_by_preset, *closing);
    Decision decision = first_that_fits(candidates, attempt, verdict);
    const bool written_out = decision.allowed() && looks_at_paths(decision.rule);
    if (reading == PathReading::encoded_slash && by_path != nullptr && !written_out)
        return refuse(Reason::path_ambiguous, by_path);
    decision.by_request = decision.allowed() && (looks_at_requests(denials) || looks_at_requests(candidates));
    return decision;
}

} // namespace

PresetQuestion question_of(const Attempt& attempt)
{
    return {attempt.method.value_or(""), path_of(attempt), attempt.query, attempt.fields};
}

Decision decide(const TaskPolicy& policy, const Attempt& attempt)
{
    const Rules denials = taking_part(policy.deny(), policy.deny_for(attempt.host), attempt);
    for (const Rule* const rule : denials)
        if (denies(*rule, attempt))
            return refuse(Reason::denied_by_rule, rule);

    if (is_answered_here(attempt))
        return decide_answer(denials, attempt);

    const auto named = policy.allow_for(attempt.host);
    const Rule* const holder = holder_of_port(policy, named, attempt.port);
    if (holder != nullptr && is_raw(*holder) != (attempt.scheme == Scheme::tcp))
        return refuse(Reason::scheme_not_allowed, holder);
    Rules candidates = taking_part(policy.allow(), named, attempt);
    if (candidates.empty())
        return explain_connection(policy, named, attempt);
    if (attempt.scheme == Scheme::tcp)
        return decide_raw(denials, candidates);
    if (attempt.method && is_never_forwarded(*attempt.method))
        return refuse(Reason::method_not_allowed, candidates.front());
    if (attempt.scheme == Scheme::https && policy.never_intercept(attempt.host))
        return decide_tunnel(denials, candidates);

    const bool needs_a_look = !denials.empty() || candidates.front()->inspects();
    const Verdict verdict = needs_a_look ? Verdict::intercept : Verdict::allow;
    if (!attempt.method)
        return Decision{verdict, Reason::allowed, candidates.front()};
    return decide_request(denials, std::move(candidates), attempt, verdict);
}

bool is_raw_port(const TaskPolicy& policy, const Host& host, std::uint16_t port)
{
    const Rule* const holder = holder_of_port(policy, policy.allow_for(host), port);
    return holder != nullptr && is_raw(*holder);
}

bool lists_host(const TaskPolicy& policy, const Host& host)
{
    return !policy.allow_for(host).empty();
}

} // namespace aduana::policy
