// SPDX-License-Identifier: Apache-2.0
// One attempt of the sandbox and its closing record: written exactly once, however the attempt ends.
#pragma once

#include "policy/decide.hpp"
#include "proxy/core/refusal.hpp"
#include "proxy/core/target.hpp"
#include "proxy/shell/task.hpp"

#include <chrono>

namespace aduana::proxy {

/// The destructor hands the record to the journal: no early return, lost connection or cancellation can skip it.
class AttemptRecord {
public:
    /// `task` outlives the record. `protocol`: see audit::Request.
    AttemptRecord(Task& task, WayIn way_in, std::string_view protocol);
    AttemptRecord(const AttemptRecord&) = delete;
    AttemptRecord& operator=(const AttemptRecord&) = delete;
    ~AttemptRecord();

    [[nodiscard]] std::uint64_t id() const noexcept { return request_.id; }
    /// Fields that become known on the way.
    [[nodiscard]] audit::Request& fields() noexcept { return request_; }
    [[nodiscard]] const audit::Request& fields() const noexcept { return request_; }

    void aims_at(const Target& target, std::string_view method);
    void aims_at(const policy::Host& host, std::uint16_t port, policy::Scheme scheme);
    /// As far as the connection alone tells.
    void aims_at(const Scope& scope);
    void decided(const policy::Decision& decision);
    /// The attempt is over: it went as the policy allows.
    void passed();
    /// The attempt is over: it went as the policy allows, until `failure` ended it.
    void cut_off(const Failure& failure);
    /// The attempt is over: the client has gone before it has asked for anything, as `failure` says. It was let through
    /// if the policy lets a connection there, and else refused; where it named no destination nothing was let through.
    void left(const Scope& scope, const Failure& failure);
    /// The attempt is over: it needed no rule, and was answered here.
    void answered();
    /// The attempt is over: it was refused, or failed before a response. Also keeps the line for the terminal.
    Refusal refused(const Failure& failure);
    Refusal refused(const policy::Decision& decision, const policy::Attempt& attempt);
    /// Hands the record to the journal before its owner ends; nothing can be added afterwards.
    void write();
    /// The attempt is a tunnel to its upstream, or raw TCP as its scheme says: waits until its start is on record. From
    /// then on its closing record is a `tunnel` or a `tcp`.
    asio::awaitable<Outcome<Ok>> tunnelled();

private:
    void conclude(policy::Reason reason, std::string error);
    template <class Event>
    void close_as(Event event);
    [[nodiscard]] audit::TunnelStart opening_tunnel() const;
    [[nodiscard]] audit::Tunnel closing_tunnel() const;
    [[nodiscard]] std::string destination() const;
    void announce(const Refusal& refusal);

    Task& task_;
    audit::Request request_;
    std::chrono::steady_clock::time_point start_;
    bool concluded_ = false;
    bool tunnelled_ = false;
    bool written_ = false;
};

} // namespace aduana::proxy
