// SPDX-License-Identifier: Apache-2.0
// A box holds: SHA-256 of the seed (64 digits) | sequence (16 digits) | token.
#include "broker/core/token_keeper.hpp"

#include "broker/sign/digest.hpp"

#include <charconv>

namespace aduana::broker {
namespace {

constexpr std::size_t seed_size = 64;
constexpr std::size_t sequence_size = 16;

std::string digits_of(std::uint64_t number)
{
    std::string bytes;
    for (int shift = 56; shift >= 0; shift -= 8)
        bytes += static_cast<char>(number >> static_cast<unsigned>(shift));
    return to_hex(bytes);
}

std::optional<std::uint64_t> number_of(std::string_view digits)
{
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
    if (error != std::errc() || end != digits.data() + digits.size())
        return std::nullopt;
    return number;
}

} // namespace

TokenKeeper::TokenKeeper(std::shared_ptr<TokenSlots> slots, StoreKeys keys, std::string credential,
                         std::string_view seed)
    : slots_(std::move(slots)), keys_(std::move(keys)), credential_(std::move(credential)), seed_(sha256_hex(seed))
{
}

std::optional<TokenKeeper::Kept> TokenKeeper::open(std::string_view box) const
{
    const auto opened = unseal(box, credential_, keys_);
    if (!opened)
        return std::nullopt;
    const auto value = opened->value.reveal();
    if (value.size() <= seed_size + sequence_size)
        return std::nullopt;
    const auto sequence = number_of(value.substr(seed_size, sequence_size));
    if (!sequence)
        return std::nullopt;
    return Kept{std::string(value.substr(0, seed_size)), *sequence,
                Secret::copy_of(value.substr(seed_size + sequence_size))};
}

Result<TokenKeeper::Turn> TokenKeeper::borrow()
{
    const auto locked = slots_->lock();
    if (!locked)
        return locked.error();
    if (!*locked)
        return Turn{};
    const auto boxes = slots_->read();
    auto turn = boxes ? newest_of(*boxes) : Result<Turn>(boxes.error());
    if (!turn)
        slots_->unlock();
    return turn;
}

Result<TokenKeeper::Turn> TokenKeeper::newest_of(const std::array<std::string, 2>& boxes)
{
    Turn turn{true, std::nullopt};
    bool written = false;
    std::optional<Kept> newest;
    for (const auto& box : boxes) {
        auto kept = box.empty() ? std::nullopt : open(box);
        written = written || !box.empty();
        if (kept && (!newest || kept->sequence > newest->sequence))
            newest = std::move(kept);
    }
    if (written && !newest)
        return Error{
            "the refresh token that was kept for it does not open: it is damaged, or was sealed for another key",
            "get a new refresh token, and remove STATE/refresh-tokens/" + credential_ + "-*"};
    if (!newest)
        return turn;
    sequence_ = newest->sequence;
    if (newest->seed == seed_)
        turn.newest = std::move(newest->token);
    return turn;
}

KeepOrder TokenKeeper::next() const
{
    // Never the place of the newest.
    const auto slot = static_cast<std::uint8_t>((sequence_ + 1) % 2);
    return {keys_.public_key, credential_, seed_ + digits_of(sequence_ + 1), slot};
}

Result<TokenKeeper::Lent> TokenKeeper::lend() const
{
    auto file = slots_->share();
    if (!file)
        return file.error();
    return Lent{next(), std::move(*file)};
}

Result<Ok> TokenKeeper::keep(const Secret& token)
{
    const auto order = next();
    const auto box = seal_token(order, token);
    if (!box)
        return box.error();
    auto written = slots_->write(order.slot, *box);
    if (written)
        ++sequence_;
    return written;
}

void TokenKeeper::give_back() noexcept
{
    slots_->unlock();
}

} // namespace aduana::broker
