// SPDX-License-Identifier: Apache-2.0
// Refusals that a person or an agent can read: status line, problem document (RFC 9457), one line for a terminal.
#pragma once

#include "policy/decide.hpp"
#include "policy/reason.hpp"
#include "proxy/core/failure.hpp"
#include "proxy/core/rewrite.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace aduana::proxy {

struct Refusal {
    policy::Reason reason = policy::Reason::internal;
    std::string detail;      ///< one sentence: what was refused; no secret, no field value
    std::string destination; ///< "https://host:port/path", or as much of it as is known
    std::string rule;        ///< name of the rule that decided or came nearest, or empty
    std::string rule_place;  ///< "policy.yaml:4", or empty
    std::string task;
    std::uint64_t record = 0; ///< id of the journal's request
    std::string remedy{};     ///< what to do; empty: what the table of reasons says
};

/// "https://host:port/path", and "https://host:port (*)" for OPTIONS *. `host` as in policy::Host::text.
[[nodiscard]] std::string destination_text(std::string_view scheme, std::string_view host, std::uint16_t port,
                                           std::string_view path);

/// The refusal for a decision of the policy: says which host, which rule is missing, and what to write.
[[nodiscard]] Refusal refusal_for(const policy::TaskPolicy& policy, const policy::Decision& decision,
                                  const policy::Attempt& attempt, std::string_view task, std::string_view policy_file,
                                  std::uint64_t record);

/// The refusal for a step that failed. A malformed head of the upstream is upstream-invalid: the client did no wrong.
[[nodiscard]] Refusal refusal_for(const Failure& failure, std::string_view destination, std::string_view task,
                                  std::uint64_t record);

/// Clients of gRPC show nothing but `grpc-status` and `grpc-message`, and those only where HTTP says 200.
enum class RefusalFormat : std::uint8_t { problem_json, plain_text, grpc_status };
/// git and others print only text/plain. Chosen by the request's User-Agent, Accept and Content-Type, and by what the
/// client speaks: "http/1.1" or "h2".
[[nodiscard]] RefusalFormat format_for(const Fields& request, std::string_view protocol);

/// A whole response: "403 Forbidden by Aduana: no-rule" and so on, with its document.
struct RefusalResponse {
    OutgoingResponse head; ///< without framing
    std::string body;      ///< empty: nothing follows the head
};
[[nodiscard]] RefusalResponse render(const Refusal& refusal, RefusalFormat format);

/// "refused https://host:443/path (no-rule): ...; remedy": printable ASCII, at most 400 bytes.
[[nodiscard]] std::string terminal_line(const Refusal& refusal);

} // namespace aduana::proxy
