// SPDX-License-Identifier: Apache-2.0
// Getting a credential from whoever issues it, as a dialogue of HTTP messages that somebody else carries, or from a
// program that somebody else runs.
//
//   begin ──▶ Call ──(courier process)──▶ Answer  ──▶ resume  ──▶ Call | Issued | Denied
//         ──▶ Run  ──(runner process)───▶ Printed ──▶ printed ──▶ Issued | Denied
//
// Pure: time and randomness are arguments, and an issuer that lies is just another Answer.
#pragma once

#include "broker/core/random.hpp"
#include "broker/protocol/messages.hpp"
#include "policy/host.hpp"

#include <chrono>
#include <memory>
#include <optional>

namespace aduana::broker {

/// Where a call goes. Always over TLS, verified for `host`; redirects are answers like any other.
struct Endpoint {
    policy::Host host;
    std::uint16_t port = 443;
    std::string target; ///< path and query, as sent
    /// Beside public ones; filled in where the call is sent from.
    std::vector<policy::Cidr> addresses{};
};

/// A certificate and its key for the TLS connection (RFC 8705), both PEM.
struct ClientIdentity {
    Secret certificate;
    Secret key;
};

struct Call {
    std::string method;
    Endpoint endpoint;
    std::vector<HeaderField> fields; ///< without Host, Content-Length and Connection: the carrier's
    Secret body;
    std::optional<ClientIdentity> identity;
};

struct AnswerField {
    std::string name; ///< lower case
    std::string value;
};
/// A whole response: at most 64 KiB of body, no transfer or content coding left.
struct Answer {
    std::uint16_t status = 0;
    std::vector<AnswerField> fields;
    Secret body;
};

/// A program to run, without a shell and with no other environment than this.
struct Run {
    std::vector<std::string> command;     ///< an absolute path, then its arguments; never empty
    std::vector<std::string> environment; ///< NAME=VALUE
};
/// What came of it.
struct Printed {
    std::string failure; ///< for the operator: why `output` does not count; empty where the program has succeeded
    Secret output;       ///< at most 64 KiB
};

struct AwsKeys {
    std::string access_key_id;
    Secret secret_access_key;
    Secret session_token; ///< empty: long-term keys
};
/// A token bound to a key that only the broker has (RFC 9449).
struct DpopToken {
    Secret token;
    Secret key; ///< PEM, P-256
};
using CredentialValue = std::variant<Secret, AwsKeys, DpopToken>;

struct Issued {
    CredentialValue value;
    /// From the moment at which the last call was sent. Unset: the issuer did not say.
    std::optional<std::chrono::seconds> lifetime;
    /// The refresh token was rotated: this one must be stored durably before `value` is used.
    std::optional<Secret> refresh_token;
    /// New values are refused for a while after they are made (GitHub): a 401, 403 or 404 in that time says nothing.
    std::chrono::seconds settles_in{0};
};

/// No credential. `detail` names the issuer's host and error code, never text of it that could hold a secret.
struct Denied {
    enum class Kind : std::uint8_t { permanent, transient };
    Kind kind = Kind::permanent;
    std::string detail;
    std::string remedy;
    std::optional<std::chrono::seconds> retry_after{};
};

using Step = std::variant<Call, Run, Issued, Denied>;

/// What a dialogue may use of the world.
struct MintContext {
    std::chrono::system_clock::time_point now; ///< of this step
    const Random& random;
    std::string task; ///< for session names and audit trails of issuers
};

/// One way to mint one credential. Holds the secrets that it needs; `begin` starts over.
class Issuer {
public:
    Issuer() = default;
    Issuer(const Issuer&) = delete;
    Issuer& operator=(const Issuer&) = delete;
    virtual ~Issuer() = default;

    [[nodiscard]] virtual Step begin(const MintContext& context) = 0;
    /// The answer to the last call.
    [[nodiscard]] virtual Step resume(const Answer& answer, const MintContext& context) = 0;
    /// What came of the last Run. Nobody else is asked.
    [[nodiscard]] virtual Step printed(const Printed&, const MintContext&)
    {
        return Denied{Denied::Kind::permanent, "a program printed what nobody asked for", "", {}};
    }
    /// What takes `issued` back, where the issuer can; 2xx, and 401 and 404 of what has expired, are success.
    [[nodiscard]] virtual std::optional<Call> revoke(const CredentialValue& issued, const MintContext& context) = 0;
    /// From the next `begin` on, after it was stored durably.
    virtual void use_refresh_token(Secret token) = 0;
};

} // namespace aduana::broker
