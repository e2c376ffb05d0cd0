// SPDX-License-Identifier: Apache-2.0
// The DNS of a sandbox: answers by itself, never forwards (RFC 1035, RFC 6891).
#pragma once

#include "policy/task_policy.hpp"
#include "proxy/core/names.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace aduana::proxy {

/// A look-up that goes into the journal: of a name that no rule lists.
struct UnlistedLookup {
    std::string name;
    std::string type;
    std::string answer;
};
struct DnsReply {
    std::string bytes; ///< empty: nothing is sent (not even a header could be read)
    std::optional<UnlistedLookup> unlisted;
};

/// In bytes; longer ones are not read (RFC 6891 section 6.2.5).
inline constexpr std::size_t max_dns_query = 4096;

/// Every valid multi-label name gets a synthetic A record, listed or not, so that a refusal can be delivered as a
/// readable 403; other types get NODATA, ANY the address alone. Every "no" has an SOA, so that it can be kept.
/// NXDOMAIN: invalid and reverse names, single-label names that no rule lists, names whose leading labels form a listed
/// name (search-list leftovers), names beyond the capacity. "localhost" is loopback. FORMERR for malformed queries,
/// NOTIMP for other opcodes, REFUSED for other classes and for zone transfers. No reply is longer than 512 bytes.
enum class DnsTransport : std::uint8_t { udp, tcp };
[[nodiscard]] DnsReply answer_dns(std::string_view query, DnsTransport transport, SyntheticNames& names,
                                  const policy::TaskPolicy& policy);

} // namespace aduana::proxy
