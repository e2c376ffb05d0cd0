// SPDX-License-Identifier: Apache-2.0
// The certificate authority of one task: a P-256 key that never leaves the process, and leaves minted on demand.
#pragma once

#include "certs/openssl_handle.hpp"
#include "policy/host.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace aduana::certs {

using TimePoint = std::chrono::system_clock::time_point;

/// Certificate and key for one name or address. The key is shared by all leaves of a task.
struct Leaf {
    X509* certificate = nullptr; ///< borrowed from the cache that handed it out; take a reference to keep it
    EVP_PKEY* key = nullptr;
};

/// Certificates are valid from this long before they are made: clocks of clients drift.
inline constexpr std::chrono::hours back_dating{24};
inline constexpr std::chrono::hours leaf_validity = std::chrono::days(7);
/// The longest time limit of a task is 30 days, but a task may have none.
inline constexpr std::chrono::hours ca_validity = std::chrono::days(366);

/// The CA key and the leaf key are made here and are not exported.
class TaskCa {
public:
    /// `task` goes into the subject, so that a person who meets the certificate knows where it came from.
    [[nodiscard]] static TaskCa create(std::string_view task, TimePoint now);
    TaskCa(TaskCa&&) noexcept;
    TaskCa& operator=(TaskCa&&) noexcept;
    ~TaskCa();

    /// For the task's trust bundle.
    [[nodiscard]] std::string certificate_pem() const;
    [[nodiscard]] X509* certificate() const noexcept;
    [[nodiscard]] EVP_PKEY* leaf_key() const noexcept;
    /// A new leaf with `host` as its only subject alternative name (dNSName or iPAddress).
    [[nodiscard]] X509Ptr mint(const policy::Host& host, TimePoint now) const;

private:
    struct State;
    explicit TaskCa(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

} // namespace aduana::certs
