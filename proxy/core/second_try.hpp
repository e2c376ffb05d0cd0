// SPDX-License-Identifier: Apache-2.0
// Whether an upstream's refusal may only mean that the credential in the request is not good any more, or not yet.
#pragma once

#include "broker/protocol/messages.hpp"

#include <chrono>
#include <string_view>

namespace aduana::proxy {

/// RFC 9110 section 9.2.2: repeating it has no further effect.
[[nodiscard]] bool is_idempotent(std::string_view method) noexcept;

/// For one request, which can be sent again: it has no body, and repeating it does no harm.
class SecondTry {
public:
    enum class Advice : std::uint8_t {
        pass,  ///< the answer is the client's
        renew, ///< with another value of the credential, once
        wait,  ///< `delay`, and then again: the issuer's other servers may not know the new value yet
    };
    /// Of a stored credential there is no other value: only one that an issuer made is tried again.
    [[nodiscard]] Advice advise(int status, const broker::Lease& lease) noexcept;
    /// 1 s, 2 s, 4 s.
    [[nodiscard]] std::chrono::seconds delay() const noexcept { return std::chrono::seconds(1U << (waits_ - 1)); }

private:
    unsigned waits_ = 0;
    bool renewed_ = false;
};

} // namespace aduana::proxy
