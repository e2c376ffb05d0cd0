// SPDX-License-Identifier: Apache-2.0
// Drives the dialogues with issuers, and those who wait for them.
#include "broker/core/mint_desk.hpp"

#include "broker/core/vault.hpp"

#include <algorithm>

namespace aduana::broker {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t max_waiters = 256;
/// A refresh of somebody else takes about as long as a call does.
constexpr std::chrono::milliseconds turn_pause = 50ms;
/// Of a value whose issuer has not said how long it lives.
constexpr std::chrono::hours longest_unknown_life{24};
constexpr std::chrono::milliseconds longest_turn = 10s;

/// What an issuer hands out is put into requests like any other value, and is as little believed.
Result<Ok> check(const std::string& credential, const CredentialValue& value)
{
    if (const auto* bare = std::get_if<Secret>(&value))
        return check_value(credential, bare->reveal());
    if (const auto* bound = std::get_if<DpopToken>(&value))
        return check_value(credential, bound->token.reveal());
    return check_value(credential, std::get<AwsKeys>(value).secret_access_key.reveal());
}

MintContext context_of(const DeskWorld& world, const std::string& task)
{
    return {world.now.wall, world.random, task};
}

} // namespace

void MintDesk::add(const policy::CredentialDeclaration& declaration, std::unique_ptr<Issuer> issuer,
                   std::optional<TokenKeeper> keeper)
{
    Entry entry{std::move(issuer), declaration.issuer_addresses, Minting(declaration.lease)};
    entry.keeper = std::move(keeper);
    entries_.emplace(declaration.name, std::move(entry));
}

Minting::Verdict MintDesk::queue(Entry& entry, Minting::Verdict verdict, Waiter waiter)
{
    if (verdict != Minting::Verdict::wait)
        return verdict;
    if (entry.waiters.size() == max_waiters)
        return Minting::Verdict::refuse;
    entry.waiters.push_back(std::move(waiter));
    return verdict;
}

Minting::Verdict MintDesk::acquire(Waiter waiter, const DeskWorld& world, DeskTurn& turn)
{
    const auto credential = waiter.acquire.credential;
    auto& entry = entries_.at(credential);
    const auto verdict = queue(entry, entry.minting.acquire(world.now.steady), std::move(waiter));
    begin_if_ordered(credential, entry, world, turn);
    return verdict;
}

Minting::Verdict MintDesk::rejected(Waiter waiter, std::uint64_t generation, const DeskWorld& world, DeskTurn& turn)
{
    const auto credential = waiter.acquire.credential;
    auto& entry = entries_.at(credential);
    const auto verdict = entry.minting.rejected(generation, world.now.steady);
    // What comes next is another value: it is asked for as by anybody else.
    waiter.acquire.rejected.clear();
    const auto queued = queue(entry, verdict, std::move(waiter));
    begin_if_ordered(credential, entry, world, turn);
    return queued;
}

std::optional<Minting::Current> MintDesk::current(const std::string& credential) const
{
    const auto found = entries_.find(credential);
    return found == entries_.end() ? std::nullopt : found->second.minting.current();
}

Refused MintDesk::refusal(const std::string& credential, Instant now) const
{
    const auto subject = "credential '" + credential + "': ";
    if (closed_)
        return {RefusalCode::expired, subject + "the task has ended"};
    const auto& minting = entries_.at(credential).minting;
    if (minting.state() != MintState::backoff)
        return {RefusalCode::source_unavailable, subject + "too many requests wait for its issuer; ask again later"};
    const auto& failure = minting.last_failure();
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(minting.retry_in(now)).count();
    return {RefusalCode::source_unavailable, subject + failure.detail + "; " + failure.remedy +
                                                 " (the issuer is asked again in " + std::to_string(seconds) + " s)"};
}

bool MintDesk::returned(std::uint64_t errand, const Carried& carried, const DeskWorld& world, DeskTurn& turn)
{
    const auto found = errands_.find(errand);
    if (found == errands_.end())
        return false;
    const auto [credential, purpose] = std::move(found->second);
    errands_.erase(found);
    auto& entry = entries_.at(credential);
    if (purpose == Purpose::revoke) {
        if (!took_back(carried))
            unrevoked_.push_back(credential);
        clear_ledger();
        return true;
    }
    if (const auto* answer = std::get_if<Answer>(&carried)) {
        proceed(credential, entry, entry.issuer->resume(*answer, context_of(world, task_)), world, turn);
        return true;
    }
    if (const auto* printed = std::get_if<Printed>(&carried)) {
        proceed(credential, entry, entry.issuer->printed(*printed, context_of(world, task_)), world, turn);
        return true;
    }
    const auto& detail = std::get<Undelivered>(carried).detail;
    fail(entry, {Denied::Kind::transient, detail, "is the issuer up, and reachable from this machine?"}, world, turn);
    return true;
}

void MintDesk::begin_if_ordered(const std::string& credential, Entry& entry, const DeskWorld& world, DeskTurn& turn)
{
    if (entry.minting.take_order())
        begin(credential, entry, world, turn);
}

void MintDesk::begin(const std::string& credential, Entry& entry, const DeskWorld& world, DeskTurn& turn)
{
    const auto ours = take_turn(entry, world.now.steady);
    if (!ours)
        return fail(entry, {Denied::Kind::transient, ours.error().message, ours.error().remedy}, world, turn);
    if (*ours)
        proceed(credential, entry, entry.issuer->begin(context_of(world, task_)), world, turn);
}

Result<bool> MintDesk::take_turn(Entry& entry, Instant now)
{
    if (!entry.keeper)
        return true;
    auto borrowed = entry.keeper->borrow();
    if (!borrowed || borrowed->ours) {
        entry.turn.reset();
        if (!borrowed)
            return borrowed.error();
        if (auto& newest = borrowed->newest)
            entry.issuer->use_refresh_token(std::move(*newest));
        return true;
    }
    const auto last = entry.turn ? entry.turn->last : now + longest_turn;
    entry.turn = Entry::Turn{now + turn_pause, last};
    if (now < last)
        return false;
    entry.turn.reset();
    return Error{"another task has had its refresh token for 10 s", "end that task, or ask again later"};
}

Result<Ok> MintDesk::keep(Entry& entry, Secret token)
{
    if (!entry.keeper)
        return Error{"its issuer has rotated the refresh token, and there is no place to keep it",
                     "use a client whose refresh tokens stay the same"};
    auto kept = entry.keeper->keep(token);
    if (kept)
        entry.issuer->use_refresh_token(std::move(token));
    return kept;
}

void MintDesk::proceed(const std::string& credential, Entry& entry, Step step, const DeskWorld& world, DeskTurn& turn)
{
    if (auto* call = std::get_if<Call>(&step)) {
        ask(credential, entry, std::move(*call), world, turn);
    } else if (auto* run = std::get_if<Run>(&step)) {
        entry.sent = world.now.steady;
        send(credential, Purpose::mint, std::move(*run), world, turn);
    } else if (auto* issued = std::get_if<Issued>(&step)) {
        install(credential, entry, std::move(*issued), world, turn);
    } else {
        fail(entry, std::get<Denied>(step), world, turn);
    }
}

void MintDesk::ask(const std::string& credential, Entry& entry, Call call, const DeskWorld& world, DeskTurn& turn)
{
    std::optional<TokenKeeper::Lent> keep;
    if (const auto& keeper = entry.keeper) {
        auto lent = keeper->lend();
        if (!lent)
            return fail(entry, {Denied::Kind::transient, lent.error().message, lent.error().remedy}, world, turn);
        keep = std::move(*lent);
    }
    entry.sent = world.now.steady;
    send(credential, Purpose::mint, std::move(call), world, turn).keep = std::move(keep);
}

void MintDesk::install(const std::string& credential, Entry& entry, Issued issued, const DeskWorld& world,
                       DeskTurn& turn)
{
    if (const auto checked = check(credential, issued.value); !checked)
        return fail(entry, {Denied::Kind::permanent, checked.error().message, checked.error().remedy}, world, turn);
    if (issued.refresh_token) {
        if (const auto kept = keep(entry, std::move(*issued.refresh_token)); !kept)
            return fail(entry, {Denied::Kind::permanent, kept.error().message, kept.error().remedy}, world, turn);
    }
    if (const auto noted = note(credential, entry, issued, world); !noted) {
        if (auto call = entry.issuer->revoke(issued.value, context_of(world, task_)))
            send(credential, Purpose::revoke, std::move(*call), world, turn);
        return fail(entry, {Denied::Kind::transient, noted.error().message, noted.error().remedy}, world, turn);
    }
    if (entry.keeper)
        entry.keeper->give_back();
    // A value that was made without a call is as old as this moment.
    const auto sent = entry.sent == Instant{} ? world.now.steady : std::exchange(entry.sent, Instant{});
    entry.minting.issued(std::move(issued), sent, world.random);
    if (closed_)
        revoke_rest(credential, entry, world, turn);
    std::ranges::move(std::exchange(entry.waiters, {}), std::back_inserter(turn.ready));
}

Result<Ok> MintDesk::note(const std::string& credential, const Entry& entry, const Issued& issued,
                          const DeskWorld& world)
{
    auto& ledger = ledger_;
    auto call = entry.issuer->revoke(issued.value, context_of(world, task_));
    if (!ledger || !call)
        return Ok{};
    call->endpoint.addresses = entry.addresses;
    const auto end = world.now.wall + issued.lifetime.value_or(longest_unknown_life);
    return ledger->note({credential, end, std::move(*call)}, world.now.wall);
}

void MintDesk::clear_ledger()
{
    // What is noted still, and was taken back, is taken back once more by a later task: that does no harm.
    if (closed_ && errands_.empty() && unrevoked_.empty() && ledger_)
        (void)ledger_->clear();
}

void MintDesk::fail(Entry& entry, const Denied& denied, const DeskWorld& world, DeskTurn& turn)
{
    if (entry.keeper)
        entry.keeper->give_back();
    entry.sent = {};
    entry.minting.failed(denied, world.now.steady, world.random);
    std::ranges::move(std::exchange(entry.waiters, {}), std::back_inserter(turn.ready));
}

bool MintDesk::is_due(const Entry& entry, Instant now)
{
    return entry.turn && entry.turn->next <= now;
}

void MintDesk::tick(const DeskWorld& world, DeskTurn& turn)
{
    for (auto& [credential, entry] : entries_) {
        entry.minting.tick(world.now.steady);
        begin_if_ordered(credential, entry, world, turn);
        if (is_due(entry, world.now.steady))
            begin(credential, entry, world, turn);
        while (!entry.waiters.empty() && entry.waiters.front().deadline <= world.now.steady) {
            turn.ready.push_back(std::move(entry.waiters.front()));
            entry.waiters.pop_front();
        }
    }
}

std::optional<Instant> MintDesk::next_tick(const Entry& entry)
{
    const auto turn = entry.turn ? std::optional(entry.turn->next) : std::nullopt;
    const auto given_up = entry.waiters.empty() ? std::nullopt : std::optional(entry.waiters.front().deadline);
    return earlier(entry.minting.next_tick(), earlier(turn, given_up));
}

std::optional<Instant> MintDesk::next_tick() const
{
    std::optional<Instant> next;
    for (const auto& [credential, entry] : entries_)
        next = earlier(next, next_tick(entry));
    return next;
}

void MintDesk::close(const DeskWorld& world, DeskTurn& turn)
{
    closed_ = true;
    for (auto& credential_and_entry : entries_) {
        auto& entry = credential_and_entry.second;
        entry.turn.reset();
        revoke_rest(credential_and_entry.first, entry, world, turn);
        std::ranges::move(std::exchange(entry.waiters, {}), std::back_inserter(turn.ready));
    }
    clear_ledger();
}

void MintDesk::revoke_rest(const std::string& credential, Entry& entry, const DeskWorld& world, DeskTurn& turn)
{
    for (const auto& value : entry.minting.close(world.now.steady)) {
        if (auto call = entry.issuer->revoke(value, context_of(world, task_)))
            send(credential, Purpose::revoke, std::move(*call), world, turn);
    }
}

Errand& MintDesk::send(const std::string& credential, Purpose purpose, std::variant<Call, Run> call,
                       const DeskWorld& world, DeskTurn& turn)
{
    const auto id = world.next_errand++;
    if (auto* over_network = std::get_if<Call>(&call))
        over_network->endpoint.addresses = entries_.at(credential).addresses;
    errands_.emplace(id, Out{credential, purpose});
    return turn.errands.emplace_back(Errand{id, std::move(call)});
}

} // namespace aduana::broker
