// SPDX-License-Identifier: Apache-2.0
// The journal of a task: everything that is queued in one turn of the event loop becomes one commit.
#pragma once

#include "audit/journal.hpp"
#include "proxy/ports/journal.hpp"
#include "proxy/shell/limits.hpp"
#include "proxy/shell/watchdog.hpp"

namespace aduana::proxy {

class FileJournal final : public Journal {
public:
    FileJournal(const asio::any_io_executor& executor, audit::JournalWriter writer, const Deadlines& deadlines);
    ~FileJournal() override;

    std::uint64_t next_id() override { return ++last_id_; }
    void write(audit::Event event) override;
    asio::awaitable<Outcome<Ok>> recorded(audit::Event event) override;

    /// Writes what is queued now. False: the journal cannot be written any more, and nothing may be served.
    bool commit();
    [[nodiscard]] const audit::ChainState& state() const noexcept { return writer_.state(); }
    /// Runs once, when the first commit fails.
    void on_failure(std::function<void()> action) { on_failure_ = std::move(action); }

private:
    struct Batch;
    void append(const audit::Event& event);

    asio::any_io_executor executor_;
    audit::JournalWriter writer_;
    Deadlines deadlines_;
    std::uint64_t last_id_ = 0;
    std::shared_ptr<Batch> batch_; ///< that somebody waits for; it keeps the way back to this object
    Watchdog late_;                ///< for records that nobody waits for
    std::function<void()> on_failure_;
};

} // namespace aduana::proxy
