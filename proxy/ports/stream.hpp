// SPDX-License-Identifier: Apache-2.0
// A byte stream, whatever carries it.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/system/error_code.hpp>

#include <functional>
#include <span>

namespace aduana::proxy {

namespace asio = boost::asio;
using boost::system::error_code;

struct ReadResult {
    error_code error; ///< asio::error::eof: the peer ended its side cleanly
    std::size_t size = 0;
};

class Closable {
public:
    virtual ~Closable() = default;
    /// Ends both directions at once; pending calls return. Never blocks.
    virtual void close() = 0;
};

/// Not thread-safe; at most one reader and one writer at a time.
class Stream : public Closable {
public:
    /// Reads 1..into.size() bytes, or reports why none will follow. `into` must outlive the call.
    virtual asio::awaitable<ReadResult> read_some(std::span<char> into) = 0;
    /// Writes all of `from` or reports the first error. `from` must outlive the call.
    virtual asio::awaitable<error_code> write_all(std::span<const char> from) = 0;
    /// No more bytes from us; the peer may still send. Idempotent.
    virtual asio::awaitable<error_code> finish() = 0;
    /// Open, and nothing has arrived that was not read: an idle connection that may carry another request.
    [[nodiscard]] virtual bool quiet() = 0;
    /// Calls `left` once, later, when the peer has closed its side (and had time to read an answer all the same) or the
    /// connection is lost, although nobody reads;
    /// never where we have closed it. What has arrived stays where it is. Null takes it back.
    virtual void when_left(std::function<void()> left) = 0;
};

} // namespace aduana::proxy
