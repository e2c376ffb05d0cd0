// SPDX-License-Identifier: Apache-2.0
// The corpus of hosts (tests/vectors/hosts.txt) in every place where a request names one: one spelling, or a refusal.
#include "proxy/core/head_parser.hpp"
#include "proxy/core/target.hpp"
#include "tests/support/vectors.hpp"

#include <algorithm>

namespace aduana::proxy {
namespace {

constexpr const char* refused = "refused";

std::string shown(const Result<policy::Host>& host)
{
    return host ? host->text() : refused;
}

/// As a rule or a server name spells it.
std::string as_host(const std::string& spelling)
{
    return shown(policy::Host::parse(spelling));
}

std::string target_of(const std::string& head, const Scope& scope)
{
    const auto parsed = parse_request_head(head);
    if (!parsed)
        return refused;
    const auto target = read_target(*parsed, scope);
    if (target)
        return target->host.text();
    return target.error().reason == policy::Reason::framing_invalid ? refused : "accepted as something else";
}

std::string in_absolute_form(const std::string& spelling)
{
    return target_of("GET http://" + spelling + "/ HTTP/1.0\r\n\r\n", {});
}

/// On a connection whose destination is known by address alone, Host says the name.
std::string in_host(const std::string& spelling)
{
    Scope scope;
    scope.way_in = WayIn::transparent;
    scope.port = 80;
    const auto host = policy::Host::parse(spelling);
    scope.dialled = host && host->ip() ? *host->ip() : policy::Ip::v4({192, 0, 2, 99});
    return target_of("GET / HTTP/1.1\r\nHost: " + spelling + "\r\n\r\n", scope);
}

std::string in_connect(const std::string& spelling)
{
    const std::string head = "CONNECT " + spelling + ":443 HTTP/1.1\r\nHost: " + spelling + "\r\n\r\n";
    const auto parsed = parse_request_head(head);
    if (!parsed)
        return refused;
    const auto authority = read_connect(*parsed);
    return authority ? authority->host.text() : refused;
}

/// Other bytes are refused in a request, whatever they would be as a host.
bool is_plain(const std::string& text)
{
    return std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7f; });
}

/// In a request, an address of version 6 is in brackets and a port may follow: those two are other spellings there.
bool is_host_of_a_request(const std::string& text)
{
    const bool bare_v6 = !text.starts_with('[') && policy::Host::parse(text) && text.find(':') != std::string::npos;
    const auto authority = policy::parse_authority(text);
    return !bare_v6 && (!authority || !authority->port);
}

TEST(HostVectors, HaveOneSpellingOrNone)
{
    const auto rows = test::read_vectors("hosts.txt", 3);
    ASSERT_GE(rows.size(), 120U);
    for (const auto& row : rows) {
        SCOPED_TRACE(row[1] + ": " + ::testing::PrintToString(row[2]));
        EXPECT_EQ(as_host(row[2]), row[0]);
        if (row[0] != refused)
            EXPECT_EQ(as_host(row[0]), row[0]) << "the one spelling is a spelling of itself";
    }
}

TEST(HostVectors, AreReadAlikeWhereverARequestNamesAHost)
{
    for (const auto& row : test::read_vectors("hosts.txt", 3)) {
        const auto& spelling = row[2];
        if (!is_host_of_a_request(spelling))
            continue;
        SCOPED_TRACE(row[1] + ": " + ::testing::PrintToString(spelling));
        if (!is_plain(spelling)) {
            EXPECT_EQ(in_absolute_form(spelling), refused);
            EXPECT_EQ(in_connect(spelling), refused);
            continue;
        }
        EXPECT_EQ(in_host(spelling), row[0]);
        EXPECT_EQ(in_connect(spelling), row[0]);
        if (spelling.find_first_of("/?") == std::string::npos) // which begin a path or a query there
            EXPECT_EQ(in_absolute_form(spelling), row[0]);
    }
}

} // namespace
} // namespace aduana::proxy
