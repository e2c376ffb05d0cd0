// SPDX-License-Identifier: Apache-2.0
// DNS answers made up on the spot: nothing that a sandbox asks leaves the machine.
//
//   query ─▶ header ─▶ ldns ─▶ one question? class and type? ─▶ which name? ─┬─▶ A synthetic | NODATA
//              └─ FORMERR, NOTIMP            └─ REFUSED                      └─▶ NXDOMAIN
#include "proxy/core/dns_stub.hpp"

#include "policy/decide.hpp"

#include <cstdlib>
#include <ldns/ldns.h>
#include <memory>

namespace aduana::proxy {

namespace {

constexpr std::size_t header_size = 12;
constexpr std::uint32_t ttl_seconds = 300;
/// RFC 9715: fits every path unfragmented. Our largest reply (a 255-byte name) has under 350 bytes.
constexpr std::uint16_t edns_udp_size = 1232;
constexpr std::uint8_t extended_bad_version = 1; ///< BADVERS is 16: upper bits 1, lower bits 0 (RFC 6891 section 9)

struct Free {
    void operator()(ldns_pkt* packet) const { ldns_pkt_free(packet); }
    void operator()(void* bytes) const { std::free(bytes); }
};
using Packet = std::unique_ptr<ldns_pkt, Free>;
template <class T>
using Allocated = std::unique_ptr<T, Free>;

std::uint8_t byte_at(std::string_view bytes, std::size_t index)
{
    return static_cast<std::uint8_t>(bytes[index]);
}

std::string to_wire(const ldns_pkt* packet)
{
    std::uint8_t* bytes = nullptr;
    std::size_t size = 0;
    if (ldns_pkt2wire(&bytes, packet, &size) != LDNS_STATUS_OK)
        return {};
    const Allocated<std::uint8_t> owner(bytes);
    return {reinterpret_cast<const char*>(bytes), size};
}

/// A reply without a question, for queries that could not be read: made from the header alone.
std::string bare_reply(std::string_view query, ldns_pkt_rcode code)
{
    const Packet reply(ldns_pkt_new());
    ldns_pkt_set_id(reply.get(), static_cast<std::uint16_t>(byte_at(query, 0) << 8 | byte_at(query, 1)));
    ldns_pkt_set_opcode(reply.get(), static_cast<ldns_pkt_opcode>(byte_at(query, 2) >> 3 & 0x0f));
    ldns_pkt_set_qr(reply.get(), true);
    ldns_pkt_set_rd(reply.get(), (byte_at(query, 2) & 1) != 0);
    ldns_pkt_set_rcode(reply.get(), code);
    return to_wire(reply.get());
}

/// A reply with the question's own bytes: clients that vary the case of letters compare them.
Packet reply_to(const ldns_pkt* query, ldns_pkt_rcode code)
{
    Packet reply(ldns_pkt_new());
    ldns_pkt_set_id(reply.get(), ldns_pkt_id(query));
    ldns_pkt_set_qr(reply.get(), true);
    ldns_pkt_set_rd(reply.get(), ldns_pkt_rd(query));
    ldns_pkt_set_cd(reply.get(), ldns_pkt_cd(query));
    ldns_pkt_set_ra(reply.get(), true);
    ldns_pkt_set_rcode(reply.get(), code);
    ldns_pkt_push_rr(reply.get(), LDNS_SECTION_QUESTION, ldns_rr_clone(ldns_rr_list_rr(ldns_pkt_question(query), 0)));
    if (ldns_pkt_edns(query)) {
        ldns_pkt_set_edns_udp_size(reply.get(), edns_udp_size);
        ldns_pkt_set_edns_do(reply.get(), ldns_pkt_edns_do(query));
    }
    return reply;
}

void add_address(ldns_pkt* reply, const policy::Ip& ip)
{
    const ldns_rr* question = ldns_rr_list_rr(ldns_pkt_question(reply), 0);
    ldns_rr* record = ldns_rr_new();
    ldns_rr_set_owner(record, ldns_rdf_clone(ldns_rr_owner(question)));
    ldns_rr_set_class(record, LDNS_RR_CLASS_IN);
    ldns_rr_set_ttl(record, ttl_seconds);
    ldns_rr_set_type(record, ip.is_v4() ? LDNS_RR_TYPE_A : LDNS_RR_TYPE_AAAA);
    ldns_rr_push_rdf(record, ldns_rdf_new_frm_data(ip.is_v4() ? LDNS_RDF_TYPE_A : LDNS_RDF_TYPE_AAAA,
                                                   ip.is_v4() ? 4 : 16, ip.bytes().data()));
    ldns_pkt_push_rr(reply, LDNS_SECTION_ANSWER, record);
}

/// Without an SOA a cache must not keep a "no" (RFC 2308 section 5), and asks again each time. It is the root's: the
/// stub is the whole of DNS here. A name stays what it is for the whole task: its policy does not change.
void add_denial(ldns_pkt* reply)
{
    ldns_rr* record = nullptr;
    if (ldns_rr_new_frm_str(&record, ". 300 IN SOA . . 1 3600 600 86400 300", 0, nullptr, nullptr) == LDNS_STATUS_OK)
        ldns_pkt_push_rr(reply, LDNS_SECTION_AUTHORITY, record);
}

/// Without the dot at the end; bytes that are no text are escaped, so a label with a dot in it stays one.
std::string text_of(const ldns_rr* question)
{
    const Allocated<char> text(ldns_rdf2str(ldns_rr_owner(question)));
    std::string name(text ? text.get() : "");
    if (name.size() > 1 && name.ends_with('.'))
        name.pop_back();
    return name;
}

std::string type_of(const ldns_rr* question)
{
    const Allocated<char> text(ldns_rr_type2str(ldns_rr_get_type(question)));
    return text ? text.get() : "";
}

bool is_in_zone(std::string_view name, std::string_view zone)
{
    return name == zone ||
           (name.size() > zone.size() && name.ends_with(zone) && name[name.size() - zone.size() - 1] == '.');
}

/// "api.example.com.corp.test" where api.example.com is listed: what a resolver makes of a name with a search list.
bool is_search_leftover(const policy::TaskPolicy& policy, const std::string& name)
{
    for (auto dot = name.rfind('.'); dot != std::string::npos && dot != 0; dot = name.rfind('.', dot - 1)) {
        const auto leading = policy::Host::parse(std::string_view(name).substr(0, dot));
        if (leading && policy::lists_host(policy, *leading))
            return true;
    }
    return false;
}

/// What a name gets: does it exist, and at which addresses.
struct Answer {
    bool exists = false;
    bool listed = false;
    std::optional<policy::Ip> v4{};
    std::optional<policy::Ip> v6{};
};

Answer resolve(const std::string& text, SyntheticNames& names, const policy::TaskPolicy& policy)
{
    if (text == ".") // "The root does not exist" would mean that nothing does (RFC 8020 section 2)
        return {.exists = true};
    const auto host = policy::Host::parse(text);
    if (!host || !host->is_name())
        return {};
    const auto& name = host->text();
    if (is_in_zone(name, "localhost")) // RFC 6761 section 6.3
        return {true, true, policy::Ip::parse("127.0.0.1"), policy::Ip::parse("::1")};
    if (is_in_zone(name, "in-addr.arpa") || is_in_zone(name, "ip6.arpa"))
        return {};
    const bool listed = policy::lists_host(policy, *host);
    const bool single_label = name.find('.') == std::string::npos;
    if (!listed && (single_label || is_search_leftover(policy, name)))
        return {};
    const auto address = names.address_of(*host);
    return {address.has_value(), listed, address, {}};
}

/// ANY gets one of the record sets (RFC 8482 section 4.1).
bool asks_for_address(ldns_rr_type type)
{
    return type == LDNS_RR_TYPE_A || type == LDNS_RR_TYPE_AAAA || type == LDNS_RR_TYPE_ANY;
}

DnsReply answer_question(const ldns_pkt* query, SyntheticNames& names, const policy::TaskPolicy& policy)
{
    const ldns_rr* question = ldns_rr_list_rr(ldns_pkt_question(query), 0);
    const auto type = ldns_rr_get_type(question);
    const auto name = text_of(question);
    const auto answer = resolve(name, names, policy);
    const auto reply = reply_to(query, answer.exists ? LDNS_RCODE_NOERROR : LDNS_RCODE_NXDOMAIN);
    std::string said = answer.exists ? "NODATA" : "NXDOMAIN";
    if (const auto& address = type == LDNS_RR_TYPE_AAAA ? answer.v6 : answer.v4; address && asks_for_address(type)) {
        add_address(reply.get(), *address);
        said = address->to_string();
    } else {
        add_denial(reply.get());
    }
    DnsReply out{to_wire(reply.get()), {}};
    if (!answer.listed)
        out.unlisted = UnlistedLookup{name, type_of(question), said};
    return out;
}

/// One question and at most an OPT record (RFC 6891 section 6.1.1). The counts are looked at before ldns reads on: of
/// several OPT or TSIG records it would keep the last and lose the memory of the others.
bool has_query_shape(std::string_view query)
{
    const auto count = [query](std::size_t at) { return byte_at(query, at) << 8 | byte_at(query, at + 1); };
    return count(4) == 1 && count(6) == 0 && count(8) == 0 && count(10) <= 1;
}

bool is_refused(const ldns_rr* question)
{
    const auto type = ldns_rr_get_type(question);
    return ldns_rr_get_class(question) != LDNS_RR_CLASS_IN || type == LDNS_RR_TYPE_AXFR || type == LDNS_RR_TYPE_IXFR;
}

} // namespace

DnsReply answer_dns(std::string_view query, DnsTransport, SyntheticNames& names, const policy::TaskPolicy& policy)
{
    const bool is_reply = query.size() >= header_size && (byte_at(query, 2) & 0x80) != 0;
    if (query.size() < header_size || is_reply) // answering replies would let two servers talk for ever
        return {};
    if ((byte_at(query, 2) >> 3 & 0x0f) != LDNS_PACKET_QUERY)
        return {bare_reply(query, LDNS_RCODE_NOTIMPL), {}};

    ldns_pkt* parsed = nullptr;
    const bool readable =
        query.size() <= max_dns_query && has_query_shape(query) &&
        ldns_wire2pkt(&parsed, reinterpret_cast<const std::uint8_t*>(query.data()), query.size()) == LDNS_STATUS_OK;
    const Packet packet(parsed);
    if (!readable)
        return {bare_reply(query, LDNS_RCODE_FORMERR), {}};
    if (ldns_pkt_edns(packet.get()) && ldns_pkt_edns_version(packet.get()) != 0) {
        const auto reply = reply_to(packet.get(), LDNS_RCODE_NOERROR);
        ldns_pkt_set_edns_extended_rcode(reply.get(), extended_bad_version);
        return {to_wire(reply.get()), {}};
    }
    if (is_refused(ldns_rr_list_rr(ldns_pkt_question(packet.get()), 0)))
        return {to_wire(reply_to(packet.get(), LDNS_RCODE_REFUSED).get()), {}};
    return answer_question(packet.get(), names, policy);
}

} // namespace aduana::proxy
