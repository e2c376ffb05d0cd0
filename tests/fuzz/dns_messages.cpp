// SPDX-License-Identifier: Apache-2.0
// Every query is answered by a small, well-formed reply with its own id, or not at all.
#include "proxy/core/dns_stub.hpp"

#include <cstdlib>

namespace {

using namespace aduana;
using namespace aduana::proxy;

void require(bool holds)
{
    if (!holds)
        std::abort();
}

policy::TaskPolicy example_policy()
{
    policy::PolicyParts parts;
    policy::Rule rule;
    rule.hosts = {policy::HostPattern::parse("api.example.com").value(),
                  policy::HostPattern::parse(".wild.test").value()};
    parts.allow.push_back(rule);
    return policy::TaskPolicy(std::move(parts));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const auto policy = example_policy();
    SyntheticNames names;
    const std::string_view query(reinterpret_cast<const char*>(data), size);
    const auto reply = answer_dns(query, DnsTransport::udp, names, policy);
    require(names.size() <= 1);
    if (reply.bytes.empty()) {
        require(size < 12 || (data[2] & 0x80) != 0);
        return 0;
    }
    require(reply.bytes.size() >= 12 && reply.bytes.size() <= 512);
    require(reply.bytes.substr(0, 2) == query.substr(0, 2) && (reply.bytes[2] & 0x80) != 0);
    require(answer_dns(reply.bytes, DnsTransport::udp, names, policy).bytes.empty());
    if (reply.unlisted) {
        for (const char c : reply.unlisted->name)
            require(c > 0x20 && c < 0x7f);
    }
    return 0;
}
