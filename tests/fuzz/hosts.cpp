// SPDX-License-Identifier: Apache-2.0
// Hosts, authorities and host patterns: one spelling, and nothing in it that could mean something elsewhere.
#include "policy/host.hpp"

#include <cstdint>
#include <cstdlib>

namespace {

using namespace aduana::policy;

void require(bool holds)
{
    if (!holds)
        std::abort();
}

void check_host(const Host& host)
{
    const auto again = Host::parse(host.text());
    require(again && *again == host);
    const auto in_uri = Host::parse(host.uri_host());
    require(in_uri && *in_uri == host);
    const auto authority = parse_authority(host.uri_host() + ":443");
    require(authority && authority->host == host && authority->port == 443);
    require(host.ip() == Ip::parse(host.text()));
    if (!host.is_name())
        return;
    require(!host.text().empty() && host.text().size() <= 253 && !read_loose_v4(host.text()));
    for (const char c : host.text())
        require((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.');
}

void check_pattern(const HostPattern& pattern, std::string_view text)
{
    const auto again = HostPattern::parse(pattern.text());
    require(again && *again == pattern && pattern.covers(pattern));
    const auto host = Host::parse(text);
    if (pattern.kind() == HostPattern::Kind::exact)
        require(host && pattern.matches(*host));
    if (pattern.kind() == HostPattern::Kind::suffix) {
        const auto bare = Host::parse(pattern.text().substr(1));
        require(bare && !pattern.matches(*bare));
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (const auto host = Host::parse(text))
        check_host(*host);
    if (const auto authority = parse_authority(text)) {
        check_host(authority->host);
        require(authority->port != 0);
    }
    if (const auto pattern = HostPattern::parse(text))
        check_pattern(*pattern, text);
    return 0;
}
