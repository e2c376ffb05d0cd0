// SPDX-License-Identifier: Apache-2.0
// Credentials that a service derives from ours: out of its answers, and into the requests that bring their
// placeholders.
//
//   answer   {"access_token": "abc"}  ─▶ kept, searched for from now on ─▶ {"access_token": "EGP_..."}
//   request  Authorization: Bearer EGP_...                              ─▶ Authorization: Bearer abc
#include "certs/digest.hpp"
#include "proxy/core/capture_rules.hpp"
#include "proxy/core/parameters.hpp"
#include "proxy/shell/exchange.hpp"

namespace aduana::proxy {

using policy::Reason;

namespace {

constexpr std::size_t placeholder_bytes = 26;
/// RFC 6749 section 6.
constexpr std::string_view refresh_parameter = "refresh_token";

std::string_view bound_of(const policy::Rule& rule)
{
    return rule.credential ? std::string_view(*rule.credential) : std::string_view();
}

Failure over()
{
    return {Reason::credential_unavailable, Party::client,
            "the time of the derived credential behind its placeholder is over: have the service issue another"};
}

} // namespace

std::vector<const policy::CaptureRule*> Exchange::captures(const Judged& judged) const
{
    // What signs for AWS answers in XML, if at all.
    if (!lease_ || lease_->signing == broker::Signing::aws)
        return {};
    return captures_of(captures_, judged.method, judged.target.path);
}

Outcome<std::string> Exchange::capture(const AttemptRecord& record, const CaptureContext& context,
                                       const std::vector<const policy::CaptureRule*>& rules, std::string_view body)
{
    // No body holds no credential: what a server says when it has removed one.
    if (body.empty())
        return std::string();
    auto derived = find_derived(body, rules);
    if (!derived)
        return derived.error();
    auto& captured = task_.placeholders.captured();
    // A credential that comes back as it is has a placeholder already, and is not for other places than before.
    std::erase_if(*derived, [&](const Derived& one) {
        const auto* const known = task_.injected.replacement_of(one.value);
        return known != nullptr && captured.behind(*known) == nullptr;
    });
    auto text = with_placeholders(body, *derived, [&](const Derived& one) -> Outcome<std::string> {
        const auto kept = captured.keep(one, context, placeholder_of(certs::random_bytes(placeholder_bytes)));
        if (!kept)
            return kept.error();
        const auto& [placeholder, value, credential, replaces_foreign, refreshes, places, ends] = **kept;
        auto values = spelled_out(value);
        values.push_back(value.duplicate());
        task_.injected.add(values, {context.now, ends}, placeholder);
        return placeholder;
    });
    if (text && !derived->empty())
        task_.journal.write(
            audit::Capture{.id = record.id(), .credential = std::string(context.credential), .count = derived->size()});
    return text;
}

Outcome<Ok> Exchange::use_derived(AttemptRecord& record, const Judged& judged)
{
    auto& captured = task_.placeholders.captured();
    captured.expire(Captured::Clock::now());
    const auto use = find_captured(judged.head, captured);
    if (!use || use->value->refreshes || !use->value->is_for(judged.target, bound_of(judged.rule)))
        return Ok{};
    if (use->value->value.empty())
        return over();
    if (!lease_)
        lease_.emplace();
    lease_->credential = use->value->credential;
    lease_->replaces_foreign = use->value->replaces_foreign;
    lease_->minted = false;
    lease_->signing = broker::Signing::none;
    lease_->edits.clear();
    lease_->fields.clear();
    lease_->fields.push_back(field_of(*use));
    task_.injected.add(spelled_out(lease_->fields.front().value), {Captured::Clock::now(), use->value->ends},
                       use->value->placeholder);
    derived_placeholder_ = use->value->placeholder;
    task_.ledger.leased(lease_->credential);
    record.fields().credential = lease_->credential;
    return Ok{};
}

asio::awaitable<Outcome<Ok>> Exchange::fill_refresh_token(const Judged& judged)
{
    auto& captured = task_.placeholders.captured();
    if (captured.empty() || captures(judged).empty())
        co_return Ok{};
    refresh_ = {broker::EditOp::form_field, std::string(refresh_parameter), {}};
    if (!check_editable(judged.head, client_.body(), refresh_))
        co_return Ok{};
    auto body = co_await read_whole(client_, link_, deadlines_);
    if (!body)
        co_return body.error();
    captured.expire(Captured::Clock::now());
    const auto slot = find_parameter(*body, refresh_parameter);
    if (!slot)
        co_return slot.error();
    const auto found = slot->value_or(Slot{});
    const auto* const kept = captured.behind(form_decoded(std::string_view(*body).substr(found.start, found.size)));
    if (kept != nullptr && kept->is_for(judged.target, bound_of(judged.rule))) {
        if (kept->value.empty())
            co_return over();
        refresh_.value = form_encoded(kept->value);
        placement_.field = &refresh_;
    }
    edited_.emplace(client_, std::move(*body), placement_.field != nullptr ? found : Slot{}, refresh_.value);
    co_return Ok{};
}

} // namespace aduana::proxy
