// SPDX-License-Identifier: Apache-2.0
// Which rules of capture an answer comes under.
#pragma once

#include "broker/protocol/messages.hpp"
#include "policy/capture.hpp"
#include "proxy/core/failure.hpp"

#include <string_view>
#include <vector>

namespace aduana::proxy {

/// Those of a lease, which are of its request: they have no methods and paths. Fails with credential_unavailable if one
/// names no host.
[[nodiscard]] Outcome<std::vector<policy::CaptureRule>>
read_capture_rules(const std::vector<broker::Capture>& captures);

/// Those of protocols whose paths mean nothing else (Git LFS, GitHub): no file has to ask for them.
[[nodiscard]] const std::vector<policy::CaptureRule>& well_known_captures();

/// `own` and, of the well-known ones, those that the request comes under. Borrows from `own`.
[[nodiscard]] std::vector<const policy::CaptureRule*> captures_of(const std::vector<policy::CaptureRule>& own,
                                                                  std::string_view method, std::string_view path);

} // namespace aduana::proxy
