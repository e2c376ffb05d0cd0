// SPDX-License-Identifier: Apache-2.0
// The writer of a journal: JSON Lines in a hash chain, with a signed head beside it.
#include "audit/journal.hpp"

#include "audit/file_io.hpp"
#include "audit/head.hpp"
#include "certs/digest.hpp"

#include <unistd.h>

#include <cerrno>

namespace aduana::audit {
namespace {

constexpr std::uint64_t checkpoint_interval = 1000;

} // namespace

JournalWriter::JournalWriter(UniqueFd file, UniqueFd head, std::string task, certs::SigningKey key, ChainState state,
                             Flush flush)
    : file_(std::move(file)), head_(std::move(head)), task_(std::move(task)), key_(std::move(key)),
      state_(std::move(state)), written_(state_), flush_(flush)
{
}

std::uint64_t JournalWriter::append(const Event& event, Micros now)
{
    if (failed())
        return state_.seq + 1;
    chain(event, now);
    const std::uint64_t seq = state_.seq;
    if (seq % checkpoint_interval == 0) {
        const certs::Signature signature = key_.sign(head_statement(task_, seq, state_.hash));
        chain(Checkpoint{seq, state_.hash, certs::to_base64(certs::view_of(signature))}, now);
    }
    return seq;
}

void JournalWriter::chain(const Event& event, Micros now)
{
    const std::size_t begin = batch_.size();
    append_line(batch_, event, state_.seq + 1, now, task_, state_.hash);
    const auto line = std::string_view(batch_).substr(begin, batch_.size() - begin - 1);
    state_.hash = certs::to_hex(certs::sha256(line));
    ++state_.seq;
}

Result<Ok> JournalWriter::commit()
{
    const bool nothing_new = batch_.empty();
    const auto written = write_batch();
    return !written || nothing_new ? written : seal();
}

Result<Ok> JournalWriter::write_batch()
{
    if (failed())
        return fail(error_);
    if (const int error = write_all(file_.get(), batch_))
        return fail(error);
    batch_.clear();
    written_ = state_;
    return Ok{};
}

Result<Ok> JournalWriter::seal()
{
    if (failed())
        return fail(error_);
    // The lines first: a head that promises lines which a power cut then took would make an honest journal look cut.
    if (flush_ == Flush::power && ::fdatasync(file_.get()) != 0)
        return fail(errno);
    const certs::Signature signature = key_.sign(head_statement(task_, state_.seq, state_.hash));
    const Head head{state_.seq, state_.hash, certs::to_base64(certs::view_of(signature))};
    if (const int error = write_front(head_.get(), format_head(head)))
        return fail(error);
    if (flush_ == Flush::power && ::fdatasync(head_.get()) != 0)
        return fail(errno);
    return Ok{};
}

Error JournalWriter::fail(int error)
{
    error_ = error;
    batch_ = {};
    // A task record that were signed for a line that never came to the disk would call an honest journal cut.
    state_ = written_;
    return {"the journal of task \"" + task_ + "\" cannot be written: " + error_text(error),
            "make room or choose another folder with --journal; the task serves no request without its record"};
}

} // namespace aduana::audit
