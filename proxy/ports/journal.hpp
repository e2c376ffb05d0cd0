// SPDX-License-Identifier: Apache-2.0
// Where records go.
#pragma once

#include "audit/event.hpp"
#include "policy/base/result.hpp"
#include "proxy/core/failure.hpp"
#include "proxy/ports/stream.hpp"

namespace aduana::proxy {

class Journal {
public:
    virtual ~Journal() = default;
    /// A new request id, unique in the task.
    virtual std::uint64_t next_id() = 0;
    /// Queues a record; it is written with the next batch. Never waits, never fails: a journal that cannot be written
    /// refuses every later `recorded`.
    virtual void write(audit::Event event) = 0;
    /// Queues a record and waits until it is written. Failure: journal_unavailable; the request must not go on.
    virtual asio::awaitable<Outcome<Ok>> recorded(audit::Event event) = 0;
};

} // namespace aduana::proxy
