// SPDX-License-Identifier: Apache-2.0
// A ledger is cleared when each of its notes is over or was carried out.
#include "broker/core/sweep.hpp"

#include <algorithm>

namespace aduana::broker {
namespace {

/// More stay where they are, for the next task.
constexpr std::size_t most_calls = 256;

} // namespace

Sweep::Sweep(std::vector<std::shared_ptr<LedgerFile>> files, const StoreKeys& keys, WallTime now)
{
    for (auto& file : files) {
        const auto boxes = file->read();
        if (!boxes)
            continue;
        books_.push_back({std::move(file)});
        take(books_.size() - 1, *boxes, keys, now);
    }
}

void Sweep::take(std::size_t book, const std::vector<std::string>& boxes, const StoreKeys& keys, WallTime now)
{
    auto& left = books_[book].left;
    for (const auto& box : boxes) {
        auto note = open_note(box, keys);
        // With a key that is gone nobody will ever open it: that is the operator's to see and to remove.
        if (!note)
            ++left;
        if (!note || note->end <= now)
            continue;
        ++left;
        if (pending_.size() < most_calls)
            pending_.push_back({book, std::move(*note)});
    }
    settle(books_[book]);
}

std::vector<Errand> Sweep::begin(std::uint64_t& next_errand)
{
    std::vector<Errand> errands;
    errands.reserve(pending_.size());
    for (auto& [book, note] : std::exchange(pending_, {})) {
        const auto id = next_errand++;
        out_.emplace(id, Out{book, std::move(note.credential)});
        errands.push_back({id, std::move(note.call)});
    }
    return errands;
}

bool Sweep::returned(std::uint64_t errand, const Carried& carried)
{
    const auto found = out_.extract(errand);
    if (found.empty())
        return false;
    const auto& [book, credential] = found.mapped();
    if (!took_back(carried))
        return true;
    --books_[book].left;
    settle(books_[book]);
    if (std::ranges::find(taken_back_, credential) == taken_back_.end())
        taken_back_.push_back(credential);
    return true;
}

void Sweep::settle(Book& book)
{
    // What cannot be cleared is done once more by the next task, and does no harm then.
    if (book.left == 0)
        (void)book.file->replace({});
}

} // namespace aduana::broker
