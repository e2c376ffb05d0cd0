// SPDX-License-Identifier: Apache-2.0
// The table of minting, and its arithmetic of times.
#include "broker/core/minting.hpp"

#include <algorithm>
#include <array>

namespace aduana::broker {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr std::chrono::seconds unknown_lifetime = 300s;
constexpr milliseconds longest_skew = 10s;
constexpr milliseconds refresh_margin = 30s;
constexpr milliseconds short_lifetime = 60s;
constexpr milliseconds first_backoff = 1s;
constexpr milliseconds longest_backoff = 5min;
constexpr milliseconds permanent_backoff = 60s;
/// An upstream that answers 401 to everything must not make us a flood at the issuer.
constexpr milliseconds forced_interval = 30s;
/// Past this the oldest is forgotten: it ends by itself.
constexpr std::size_t max_retired = 8;
constexpr unsigned jitter_steps = 256;

using S = MintState;
using A = MintAction;
using Row = std::array<MintStep, 8>;

// Columns: acquire, due, issued, failed, rejected, lapse, retry, close.
constexpr std::array<Row, 7> table = {
    Row{MintStep{S::minting, A::mint_and_wait},
        {S::absent, A::none},
        {S::absent, A::none},
        {S::absent, A::none},
        {S::absent, A::none},
        {S::absent, A::none},
        {S::absent, A::none},
        {S::closed, A::none}}, // ABSENT
    Row{MintStep{S::minting, A::wait},
        {S::minting, A::none},
        {S::active, A::install},
        {S::backoff, A::back_off},
        {S::minting, A::wait},
        {S::minting, A::none},
        {S::minting, A::none},
        {S::closed, A::revoke}}, // MINTING
    Row{MintStep{S::active, A::serve},
        {S::refreshing, A::mint},
        {S::active, A::none},
        {S::active, A::none},
        {S::suspect, A::mint_and_wait},
        {S::absent, A::drop},
        {S::active, A::none},
        {S::closed, A::revoke}}, // ACTIVE
    Row{MintStep{S::refreshing, A::serve},
        {S::refreshing, A::none},
        {S::active, A::install},
        {S::active, A::back_off},
        {S::suspect, A::wait},
        {S::minting, A::drop},
        {S::refreshing, A::none},
        {S::closed, A::revoke}}, // REFRESHING
    Row{MintStep{S::suspect, A::wait},
        {S::suspect, A::none},
        {S::active, A::install},
        {S::backoff, A::back_off},
        {S::suspect, A::wait},
        {S::minting, A::drop},
        {S::suspect, A::none},
        {S::closed, A::revoke}}, // SUSPECT
    Row{MintStep{S::backoff, A::refuse},
        {S::backoff, A::none},
        {S::backoff, A::none},
        {S::backoff, A::none},
        {S::backoff, A::refuse},
        {S::backoff, A::drop},
        {S::absent, A::none},
        {S::closed, A::revoke}}, // BACKOFF
    Row{MintStep{S::closed, A::refuse},
        {S::closed, A::none},
        {S::closed, A::none},
        {S::closed, A::none},
        {S::closed, A::refuse},
        {S::closed, A::none},
        {S::closed, A::none},
        {S::closed, A::none}}, // CLOSED
};

Minting::Verdict verdict_of(MintAction action)
{
    switch (action) {
    case A::serve:
        return Minting::Verdict::serve;
    case A::wait:
    case A::mint_and_wait:
        return Minting::Verdict::wait;
    default:
        return Minting::Verdict::refuse;
    }
}

std::uint8_t jitter_from(const Random& random)
{
    std::array<std::uint8_t, 1> byte{};
    random(byte);
    return byte[0];
}

} // namespace

MintStep step(MintState state, MintEvent event) noexcept
{
    return table[static_cast<std::size_t>(state)][static_cast<std::size_t>(event)];
}

MintTimes times_of(Instant sent, std::optional<std::chrono::seconds> lifetime, milliseconds ttl,
                   std::uint8_t jitter) noexcept
{
    const auto length = std::min<milliseconds>(lifetime.value_or(unknown_lifetime), ttl);
    const auto skew = std::min(longest_skew, length / 5);
    const auto end = sent + length - skew;
    if (length < short_lifetime)
        return {std::min(sent + length / 2, end), end};
    const auto ahead = length * 2 / 3 - length / 10 * jitter / jitter_steps;
    return {std::min(sent + ahead, end - std::max(refresh_margin, 2 * skew) + skew), end};
}

milliseconds backoff_of(const Denied& denied, std::uint32_t failures, std::uint8_t jitter) noexcept
{
    auto wait = permanent_backoff;
    if (denied.kind == Denied::Kind::transient) {
        const auto doublings = std::min(std::max(failures, 1U) - 1, 9U);
        wait = std::min(first_backoff * (1U << doublings), longest_backoff);
        // From four to six fifths.
        wait = wait * 4 / 5 + wait * 2 / 5 * jitter / jitter_steps;
    }
    return std::max(wait, std::min<milliseconds>(denied.retry_after.value_or(0s), longest_backoff));
}

MintAction Minting::advance(MintEvent event)
{
    const auto taken = step(state_, event);
    state_ = taken.next;
    ordered_ = ordered_ || taken.action == A::mint || taken.action == A::mint_and_wait;
    return taken.action;
}

void Minting::retire(Instant now)
{
    if (!value_)
        return;
    std::erase_if(retired_, [now](const Value& value) { return value.end <= now; });
    if (retired_.size() == max_retired)
        retired_.erase(retired_.begin());
    retired_.push_back(std::move(*value_));
    value_.reset();
}

Minting::Verdict Minting::acquire(Instant now)
{
    tick(now);
    if ((state_ == S::active || state_ == S::refreshing) && uses_ >= terms_.uses) {
        advance(MintEvent::lapse);
        retire(now);
    }
    const auto verdict = verdict_of(advance(MintEvent::acquire));
    if (verdict == Verdict::serve)
        ++uses_;
    return verdict;
}

Minting::Verdict Minting::rejected(std::uint64_t generation, Instant now)
{
    tick(now);
    if (generation != generation_)
        return acquire(now);
    const bool has_value = state_ == S::active || state_ == S::refreshing;
    if (has_value && forced_ && now - *forced_ < forced_interval)
        return acquire(now);
    if (has_value)
        forced_ = now;
    return verdict_of(advance(MintEvent::rejected));
}

void Minting::issued(Issued issued, Instant sent, const Random& random)
{
    const auto times = times_of(sent, issued.lifetime, terms_.ttl, jitter_from(random));
    if (advance(MintEvent::issued) != A::install) {
        // The task has ended meanwhile: this one is only there to be taken back.
        retired_.push_back({std::move(issued.value), times.end});
        return;
    }
    retire(sent);
    value_ = Value{std::move(issued.value), times.end};
    times_ = times;
    dies_ = issued.lifetime ? std::optional(sent + *issued.lifetime) : std::nullopt;
    settled_ = issued.settles_in > 0s ? std::optional(sent + issued.settles_in) : std::nullopt;
    ++generation_;
    uses_ = 0;
    failures_ = 0;
}

void Minting::failed(const Denied& denied, Instant now, const Random& random)
{
    failure_ = denied;
    ++failures_;
    const auto wait = backoff_of(denied, failures_, jitter_from(random));
    if (advance(MintEvent::failed) != A::back_off)
        return;
    retry_ = now + wait;
    if (state_ == S::active)
        times_.refresh = retry_;
    else
        retire(now);
}

void Minting::tick(Instant now)
{
    if (state_ == S::backoff && now >= retry_)
        advance(MintEvent::retry);
    if (!value_)
        return;
    if (now >= times_.end) {
        advance(MintEvent::lapse);
        retire(now);
        return;
    }
    // A credential that nobody has used since it was minted is not minted again for nobody.
    if (state_ == S::active && now >= times_.refresh && uses_ > 0)
        advance(MintEvent::due);
}

std::optional<Instant> Minting::next_tick() const
{
    if (state_ == S::active && uses_ > 0)
        return times_.refresh;
    return std::nullopt;
}

std::vector<CredentialValue> Minting::close(Instant now)
{
    retire(now);
    advance(MintEvent::close);
    std::vector<CredentialValue> left;
    for (auto& value : std::exchange(retired_, {}))
        if (value.end > now)
            left.push_back(std::move(value.value));
    return left;
}

std::optional<Minting::Current> Minting::current() const
{
    if (!value_)
        return std::nullopt;
    return Current{value_->value, generation_, value_->end, dies_, settled_};
}

milliseconds Minting::retry_in(Instant now) const
{
    return state_ == S::backoff && retry_ > now ? std::chrono::ceil<milliseconds>(retry_ - now) : milliseconds(0);
}

} // namespace aduana::broker
