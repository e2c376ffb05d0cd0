// SPDX-License-Identifier: Apache-2.0
// Events about credentials and what stands for them.
#pragma once

#include <cstdint>
#include <string>

namespace aduana::audit {

struct LeaseIssue {
    std::string lease;
    std::string credential;
    std::int64_t ttl_ms = 0;
    std::uint64_t uses = 0;
};
struct LeaseRevoke {
    std::string lease;
    std::string credential;
    std::string why; ///< "task-ended"; "task-ended-not-taken-back": its issuer was asked in vain
};
/// An answer held so many credentials that are derived from this one; placeholders went on.
struct Capture {
    std::uint64_t id = 0; ///< of the request
    std::string credential;
    std::uint64_t count = 0;
};
/// A placeholder was sent where it is not replaced.
struct PlaceholderSeen {
    std::uint64_t id = 0;   ///< of the request
    std::string credential; ///< whose it is; empty: of another task
    std::string place;      ///< "path", "query", "head", "body"
    std::string verdict;    ///< "refused", "passed"
    std::string alarm;      ///< what is wrong besides; empty: nothing
};

} // namespace aduana::audit
