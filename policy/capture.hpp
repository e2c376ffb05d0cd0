// SPDX-License-Identifier: Apache-2.0
// Which answers hold credentials that a service has derived from ours: the sandbox gets placeholders for them.
#pragma once

#include "policy/host.hpp"
#include "policy/path.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace aduana::policy {

inline constexpr std::chrono::milliseconds default_capture_ttl = std::chrono::hours(1);

struct CaptureRule {
    std::vector<std::string> methods; ///< empty: any
    std::vector<PathPattern> paths;   ///< of requests; never empty
    /// JSON pointers (RFC 6901) to strings in the body of the answer; a segment "*" stands for every member or element.
    /// Names are compared without regard to the case of their letters: one too many is no leak.
    std::vector<std::string> members;
    /// Where a placeholder becomes the value again. Empty: at the host that answered.
    std::vector<HostPattern> hosts;
    bool at_href = false; ///< also at the host of the `href` that stands nearest above the string
    /// How long a value may be used at most; as long as that, where the answer does not say.
    std::chrono::milliseconds ttl = default_capture_ttl;

    /// Read as widely as a deny rule. An ambiguous path that names the last segment of the rule's is one of its own:
    /// nobody knows what the server makes of it.
    [[nodiscard]] bool applies_to(std::string_view method, std::string_view path) const;
};

} // namespace aduana::policy
