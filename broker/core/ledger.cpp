// SPDX-License-Identifier: Apache-2.0
// A box holds: seconds since the epoch (16 digits) | credential | line feed | the frame of the call.
#include "broker/core/ledger.hpp"

#include "broker/mint/carriage.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>

namespace aduana::broker {
namespace {

constexpr std::size_t time_size = 16;
constexpr std::size_t fewest_to_rewrite = 128;
/// Boxes are opened under this name only: no secret that somebody has stored is ever taken for a note.
constexpr std::string_view box_name = "revocation";

std::string digits_of(WallTime time)
{
    const auto seconds = std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
    auto digits = std::to_string(std::max<std::int64_t>(seconds, 0));
    digits.insert(0, time_size - std::min(digits.size(), time_size), '0');
    return digits;
}

std::optional<WallTime> time_of(std::string_view digits)
{
    std::int64_t seconds = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), seconds);
    constexpr std::int64_t most = std::int64_t{1} << 33U;
    if (error != std::errc() || end != digits.data() + digits.size() || seconds < 0 || seconds > most)
        return std::nullopt;
    return WallTime(std::chrono::seconds(seconds));
}

} // namespace

Result<std::string> seal_note(const Note& note, std::string_view public_key)
{
    const auto frame = encode_call(note.call, 0, nullptr);
    if (frame.frame().empty())
        return Error{"the call that takes it back is too long to be noted"};
    std::string value;
    value.reserve(time_size + note.credential.size() + 1 + frame.frame().size());
    value.append(digits_of(note.end)).append(note.credential).append("\n").append(frame.frame());
    const SealedSecret secret{std::string(box_name), {}, Secret::copy_of(value)};
    wipe(value);
    return seal(secret, public_key);
}

std::optional<Note> open_note(std::string_view box, const StoreKeys& keys)
{
    const auto opened = unseal(box, box_name, keys);
    if (!opened)
        return std::nullopt;
    const auto value = opened->value.reveal();
    const auto line = value.find('\n');
    if (line == value.npos || line < time_size)
        return std::nullopt;
    const auto end = time_of(value.substr(0, time_size));
    auto errand = decode_call(value.substr(line + 1));
    if (!end || !errand || errand->keep)
        return std::nullopt;
    return Note{std::string(value.substr(time_size, line - time_size)), *end, std::move(errand->call)};
}

Ledger::Ledger(std::shared_ptr<LedgerFile> file, std::string public_key)
    : file_(std::move(file)), public_key_(std::move(public_key)), rewrite_at_(fewest_to_rewrite)
{
}

Result<Ok> Ledger::note(const Note& note, WallTime now)
{
    if (kept_.size() >= rewrite_at_) {
        if (auto rewritten = rewrite(now); !rewritten)
            return rewritten;
    }
    auto box = seal_note(note, public_key_);
    if (!box)
        return box.error();
    if (auto written = file_->append(*box); !written)
        return written;
    kept_.push_back({note.end, std::move(*box)});
    return Ok{};
}

Result<Ok> Ledger::rewrite(WallTime now)
{
    std::erase_if(kept_, [now](const Kept& kept) { return kept.end <= now; });
    rewrite_at_ = std::max(fewest_to_rewrite, 2 * kept_.size());
    std::vector<std::string> boxes;
    boxes.reserve(kept_.size());
    std::ranges::transform(kept_, std::back_inserter(boxes), &Kept::box);
    return file_->replace(boxes);
}

Result<Ok> Ledger::clear()
{
    kept_.clear();
    return file_->replace({});
}

} // namespace aduana::broker
