// SPDX-License-Identifier: Apache-2.0
// What is to be taken back if the broker is killed before it can do so: the calls, sealed, in a file of the task.
//
//   issued ──▶ note ──▶ value is lent ──▶ the task ends, all is taken back ──▶ clear
//                └─ the broker is killed ──▶ Sweep, by the broker of a later task ──▶ clear
#pragma once

#include "broker/mint/dialogue.hpp"
#include "broker/sealed/sealed_secret.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aduana::broker {

/// Boxes one after another, which outlive the broker.
class LedgerFile {
public:
    LedgerFile() = default;
    LedgerFile(const LedgerFile&) = delete;
    LedgerFile& operator=(const LedgerFile&) = delete;
    virtual ~LedgerFile() = default;

    /// Those that are whole: the last one may have been cut short.
    [[nodiscard]] virtual Result<std::vector<std::string>> read() = 0;
    /// On the disk when they return.
    [[nodiscard]] virtual Result<Ok> append(std::string_view box) = 0;
    [[nodiscard]] virtual Result<Ok> replace(const std::vector<std::string>& boxes) = 0;
};

using WallTime = std::chrono::system_clock::time_point;

struct Note {
    std::string credential;
    WallTime end; ///< of what was issued: from here on there is nothing to take back
    Call call;
};

class Ledger {
public:
    /// The file is new, and nobody else writes to it.
    Ledger(std::shared_ptr<LedgerFile> file, std::string public_key);

    /// Before what `note` takes back is used. Notes whose time is over are dropped now and then.
    [[nodiscard]] Result<Ok> note(const Note& note, WallTime now);
    /// Nothing is left to be taken back.
    [[nodiscard]] Result<Ok> clear();

private:
    struct Kept {
        WallTime end;
        std::string box;
    };
    [[nodiscard]] Result<Ok> rewrite(WallTime now);

    std::shared_ptr<LedgerFile> file_;
    std::string public_key_;
    std::vector<Kept> kept_;
    std::size_t rewrite_at_;
};

[[nodiscard]] Result<std::string> seal_note(const Note& note, std::string_view public_key);
/// Unset if the box is damaged, or for another key.
[[nodiscard]] std::optional<Note> open_note(std::string_view box, const StoreKeys& keys);

} // namespace aduana::broker
