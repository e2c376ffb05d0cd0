// SPDX-License-Identifier: Apache-2.0
// Every query is answered by a small, well-formed reply to its own question, or not at all.
#include "proxy/core/dns_stub.hpp"

#include <cstdlib>
#include <ldns/ldns.h>
#include <memory>

namespace {

using namespace aduana;
using namespace aduana::proxy;

struct Free {
    void operator()(ldns_pkt* packet) const { ldns_pkt_free(packet); }
};
using Packet = std::unique_ptr<ldns_pkt, Free>;

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

Packet parsed(std::string_view bytes)
{
    ldns_pkt* packet = nullptr;
    const auto status = ldns_wire2pkt(&packet, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    Packet owner(packet);
    return status == LDNS_STATUS_OK ? std::move(owner) : nullptr;
}

/// Of a name without compression at the start of the question; 0 where it is something else.
std::size_t size_of_name(std::string_view message)
{
    std::size_t at = 12;
    while (at < message.size() && message[at] != 0) {
        const auto label = static_cast<unsigned char>(message[at]);
        if (label > 63)
            return 0;
        at += 1U + label;
    }
    return at < message.size() ? at + 1 - 12 : 0;
}

/// Clients compare it byte by byte: they vary the case of its letters on purpose.
void check_question(std::string_view query, std::string_view reply)
{
    const auto size = size_of_name(query);
    if (size != 0)
        require(reply.substr(12, size + 4) == query.substr(12, size + 4));
}

void check_answer(const ldns_pkt* reply)
{
    require(ldns_pkt_qdcount(reply) <= 1 && ldns_pkt_ancount(reply) <= 1 && ldns_pkt_nscount(reply) <= 1);
    require(ldns_pkt_ancount(reply) + ldns_pkt_nscount(reply) <= 1);
    if (ldns_pkt_ancount(reply) == 0)
        return;
    const ldns_rr* record = ldns_rr_list_rr(ldns_pkt_answer(reply), 0);
    const auto* address = ldns_rdf_data(ldns_rr_rdf(record, 0));
    if (ldns_rr_get_type(record) == LDNS_RR_TYPE_AAAA)
        return require(address[15] == 1);
    require(ldns_rr_get_type(record) == LDNS_RR_TYPE_A);
    require((address[0] == 198 && address[1] == 19) || address[0] == 127);
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
    require(answer_dns(query, DnsTransport::tcp, names, policy).bytes == reply.bytes);
    const auto packet = parsed(reply.bytes);
    require(packet != nullptr);
    check_answer(packet.get());
    if (ldns_pkt_qdcount(packet.get()) == 1)
        check_question(query, reply.bytes);
    if (reply.unlisted) {
        for (const char c : reply.unlisted->name)
            require(c > 0x20 && c < 0x7f);
    }
    return 0;
}
