// SPDX-License-Identifier: Apache-2.0
// Group commit: the price of a write is shared by the requests that arrive together, and nobody waits for a timer.
#include "proxy/shell/file_journal.hpp"

#include "proxy/shell/diagnostics.hpp"
#include "proxy/shell/signal.hpp"

#include <boost/asio/post.hpp>

namespace aduana::proxy {

namespace {

audit::Micros now_micros()
{
    const auto since = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::microseconds>(since).count();
}

} // namespace

/// One timer wakes all who wait for the same commit.
struct FileJournal::Batch {
    Batch(const asio::any_io_executor& executor, FileJournal& owner)
        : done(executor, asio::steady_timer::time_point::max()), journal(&owner)
    {
    }
    asio::steady_timer done;
    FileJournal* journal; ///< null once it has ended
    bool written = false;
};

FileJournal::FileJournal(const asio::any_io_executor& executor, audit::JournalWriter writer, const Deadlines& deadlines)
    : executor_(executor), writer_(std::move(writer)), deadlines_(deadlines), late_(executor, [this] { commit(); })
{
}

FileJournal::~FileJournal()
{
    commit();
    if (batch_)
        batch_->journal = nullptr;
}

void FileJournal::append(const audit::Event& event)
{
    writer_.append(event, now_micros());
}

void FileJournal::write(audit::Event event)
{
    const bool first = writer_.batch_empty();
    append(event);
    if (first)
        late_.arm(deadlines_.journal);
}

asio::awaitable<Outcome<Ok>> FileJournal::recorded(audit::Event event)
{
    append(event);
    if (!batch_) {
        batch_ = std::make_shared<Batch>(executor_, *this);
        // Behind everything that is ready to run now: it may add to the batch.
        asio::post(executor_, [batch = batch_] {
            if (batch->journal != nullptr)
                batch->journal->commit();
        });
    }
    const auto batch = batch_;
    co_await batch->done.async_wait(as_result);
    if (!batch->written)
        co_return Failure{policy::Reason::journal_unavailable, Party::self, "the journal cannot be written"};
    co_return Ok{};
}

bool FileJournal::commit()
{
    late_.disarm();
    const auto batch = std::exchange(batch_, nullptr);
    const bool failed_before = writer_.failed();
    const auto committed = writer_.batch_empty() && !failed_before ? Result<Ok>(Ok{}) : writer_.commit();
    if (batch) {
        batch->journal = nullptr;
        batch->written = committed.has_value();
        batch->done.cancel();
    }
    if (!committed && !failed_before) {
        diagnostics::fail(describe(committed.error()));
        if (on_failure_)
            on_failure_();
    }
    return committed.has_value();
}

} // namespace aduana::proxy
