// SPDX-License-Identifier: Apache-2.0
// Queries as bytes, replies as bytes: what exists, what does not, and what is not even read.
#include "proxy/core/dns_stub.hpp"

#include "tests/support/dns_message.hpp"

#include <gtest/gtest.h>

namespace aduana::proxy {
namespace {

using namespace std::string_literals;
using test::DnsQuery;
using test::DnsReplyParts;

enum Code : unsigned { no_error = 0, format_error = 1, no_such_name = 3, not_implemented = 4, refused = 5 };

policy::TaskPolicy policy_of(std::initializer_list<const char*> hosts)
{
    policy::PolicyParts parts;
    policy::Rule rule;
    rule.name = "only";
    for (const char* host : hosts)
        rule.hosts.push_back(policy::HostPattern::parse(host).value());
    rule.ports = {443};
    rule.scheme = policy::Scheme::https;
    parts.allow.push_back(rule);
    return policy::TaskPolicy(std::move(parts));
}

class DnsStub : public testing::Test {
protected:
    DnsReply ask_raw(std::string_view query) { return answer_dns(query, DnsTransport::udp, names_, policy_); }
    DnsReply ask(const std::string& name, unsigned type = test::dns_a)
    {
        DnsQuery query;
        query.name = test::dns_name(name);
        query.type = type;
        return ask_raw(query.bytes());
    }
    unsigned code_of(const std::string& name) { return DnsReplyParts(ask(name).bytes).code(); }

    SyntheticNames names_;
    policy::TaskPolicy policy_ = policy_of({"api.example.com", ".wild.test", "db"});
};

/// A pointer to the question's name, type A, class IN, 300 s, four bytes.
std::string a_record(const std::string& address)
{
    return "\xc0\x0c"s + test::u16(1) + test::u16(1) + "\0\0"s + test::u16(300) + test::u16(4) + address;
}

TEST_F(DnsStub, GivesAListedNameASyntheticAddress)
{
    const auto reply = ask("api.example.com");
    const DnsReplyParts parts(reply.bytes);
    EXPECT_EQ(parts.id, 0xbeefU);
    EXPECT_EQ(parts.flags, 0x8180U) << "a reply, recursion desired and available";
    EXPECT_EQ(parts.counts, (std::vector<unsigned>{1, 1, 0, 0}));
    EXPECT_EQ(parts.answer, a_record("\xc6\x13\x00\x01"s));
    EXPECT_FALSE(reply.unlisted);
    ASSERT_EQ(names_.size(), 1U);
    EXPECT_EQ(names_.name_at(policy::Ip::v4({198, 19, 0, 1}))->text(), "api.example.com");
}

TEST_F(DnsStub, GivesAnUnlistedNameOneTooAndReportsIt)
{
    const auto reply = ask("made-up.attacker.test");
    EXPECT_EQ(DnsReplyParts(reply.bytes).answer, a_record("\xc6\x13\x00\x01"s));
    ASSERT_TRUE(reply.unlisted);
    EXPECT_EQ(reply.unlisted->name, "made-up.attacker.test");
    EXPECT_EQ(reply.unlisted->type, "A");
    EXPECT_EQ(reply.unlisted->answer, "198.19.0.1");
}

TEST_F(DnsStub, KeepsTheCaseOfTheQuestion)
{
    const auto reply = ask("aPi.ExAmPlE.cOm");
    EXPECT_EQ(DnsReplyParts(reply.bytes).question, test::dns_name("aPi.ExAmPlE.cOm") + test::u16(1) + test::u16(1));
    EXPECT_EQ(names_.address_of(policy::Host::parse("api.example.com").value())->to_string(), "198.19.0.1");
    EXPECT_EQ(names_.size(), 1U);
}

/// The root's SOA: TTL 300, no server, no person, serial 1, 3600, 600, 86400, and 300 as the time of a "no".
std::string denial()
{
    const auto u32 = [](unsigned value) { return test::u16(value >> 16) + test::u16(value & 0xffff); };
    return "\0"s + test::u16(6) + test::u16(1) + u32(300) + test::u16(22) + "\0\0"s + u32(1) + u32(3600) + u32(600) +
           u32(86'400) + u32(300);
}

TEST_F(DnsStub, OtherTypesHaveNoData)
{
    for (const unsigned type : {2U, 5U, 6U, 12U, 15U, 16U, 28U, 33U, 43U, 64U, 65U, 65280U}) {
        const auto reply = ask("api.example.com", type);
        const DnsReplyParts parts(reply.bytes);
        EXPECT_EQ(parts.code(), no_error) << type;
        EXPECT_EQ(parts.counts, (std::vector<unsigned>{1, 0, 1, 0})) << type;
        EXPECT_EQ(parts.answer, denial()) << type << ": without an SOA nobody may keep the answer";
        EXPECT_FALSE(reply.unlisted) << type;
    }
    const auto unlisted = ask("data.attacker.test", test::dns_txt).unlisted;
    ASSERT_TRUE(unlisted);
    EXPECT_EQ(unlisted->type, "TXT");
    EXPECT_EQ(unlisted->answer, "NODATA");
}

TEST_F(DnsStub, AnyGetsTheAddressAlone)
{
    const auto reply = ask("api.example.com", test::dns_any);
    EXPECT_EQ(DnsReplyParts(reply.bytes).counts, (std::vector<unsigned>{1, 1, 0, 0}));
    EXPECT_EQ(DnsReplyParts(reply.bytes).answer, a_record("\xc6\x13\x00\x01"s));
}

TEST_F(DnsStub, TheRootExistsWithoutData)
{
    const auto reply = ask("", test::dns_ns);
    EXPECT_EQ(DnsReplyParts(reply.bytes).code(), no_error) << "or nothing would exist below it";
    EXPECT_EQ(DnsReplyParts(reply.bytes).answer, denial());
    ASSERT_TRUE(reply.unlisted);
    EXPECT_EQ(reply.unlisted->answer, "NODATA");
}

TEST_F(DnsStub, NamesOfServicesAndOfOtherScriptsExist)
{
    for (const char* name : {"_sip._tcp.example.test", "_dmarc.example.test", "xn--bcher-kva.example.test"})
        for (const unsigned type : {1U, 16U, 33U})
            EXPECT_EQ(DnsReplyParts(ask(name, type).bytes).code(), no_error) << name;
    EXPECT_EQ(names_.size(), 3U);
}

TEST_F(DnsStub, SomeNamesDoNotExist)
{
    const std::pair<const char*, const char*> cases[] = {
        {"a single label that no rule lists", "printer"},
        {"a reverse name", "1.0.19.198.in-addr.arpa"},
        {"an IPv6 reverse name", "1.0.0.0.ip6.arpa"},
        {"a listed name with a search list's domain", "api.example.com.corp.test"},
        {"under a listed suffix, the same", "x.wild.test.corp.test"},
        {"a listed single label, the same", "db.corp.test"},
        {"an address", "192.0.2.1"},
        {"a number for a last label", "host.123"},
        {"a space", "a b.test"},
        {"a control byte", "a\x01.test"},
        {"a raw non-ASCII byte", "caf\xc3\xa9.test"},
        {"a quote", "a'b.test"},
    };
    for (const auto& [why, name] : cases) {
        const auto reply = ask(name);
        EXPECT_EQ(DnsReplyParts(reply.bytes).code(), no_such_name) << why;
        EXPECT_EQ(DnsReplyParts(reply.bytes).answer, denial()) << why;
        ASSERT_TRUE(reply.unlisted) << why;
        EXPECT_EQ(reply.unlisted->answer, "NXDOMAIN") << why;
    }
    EXPECT_EQ(names_.size(), 0U) << "what does not exist takes no address";
}

TEST_F(DnsStub, LabelsWithDotsInThemAreNotTakenForSeveral)
{
    DnsQuery query;
    query.name = "\x0f"s + "api.example.com" + "\0"s;
    const auto reply = ask_raw(query.bytes());
    EXPECT_EQ(DnsReplyParts(reply.bytes).code(), no_such_name);
    EXPECT_EQ(names_.size(), 0U);
}

TEST_F(DnsStub, RulesMakeNamesExist)
{
    EXPECT_EQ(code_of("db"), no_error);
    EXPECT_EQ(code_of("x.wild.test"), no_error);
    EXPECT_EQ(code_of("api_underscore.example.test"), no_error);
    EXPECT_FALSE(ask("y.wild.test").unlisted);
}

TEST_F(DnsStub, ALongerNameThatIsListedItselfIsNoLeftover)
{
    policy_ = policy_of({"api.example.com", "api.example.com.corp.test"});
    EXPECT_EQ(code_of("api.example.com.corp.test"), no_error);
}

TEST_F(DnsStub, LocalhostIsLoopback)
{
    const auto v4 = ask("localhost");
    EXPECT_EQ(DnsReplyParts(v4.bytes).answer, a_record("\x7f\x00\x00\x01"s));
    EXPECT_FALSE(v4.unlisted);
    const DnsReplyParts v6(ask("app.localhost", test::dns_aaaa).bytes);
    EXPECT_EQ(v6.counts[1], 1U);
    EXPECT_TRUE(v6.answer.ends_with(std::string(15, '\0') + "\x01"));
    EXPECT_EQ(names_.size(), 0U);
}

TEST_F(DnsStub, NamesBeyondTheCapacityDoNotExist)
{
    for (std::size_t i = 0; i < SyntheticNames::capacity; ++i)
        ASSERT_TRUE(names_.address_of(policy::Host::parse("n" + std::to_string(i) + ".test").value()));
    EXPECT_EQ(code_of("one.more.test"), no_such_name);
    EXPECT_EQ(code_of("n1.test"), no_error);
}

TEST_F(DnsStub, TheLongestNameFitsIntoASmallReply)
{
    const std::string label(63, 'a');
    const auto name = label + "." + label + "." + label + "." + std::string(61, 'b');
    const auto reply = ask(name);
    EXPECT_EQ(DnsReplyParts(reply.bytes).code(), no_error);
    EXPECT_EQ(DnsReplyParts(reply.bytes).counts[1], 1U);
    EXPECT_LE(reply.bytes.size(), 512U);
}

TEST_F(DnsStub, AnswersEdnsWithEdns)
{
    DnsQuery query;
    query.name = test::dns_name("api.example.com");
    query.additional = 1;
    query.tail = test::opt_record(4096, 0, 0x8000);
    const DnsReplyParts parts(ask_raw(query.bytes()).bytes);
    EXPECT_EQ(parts.code(), no_error);
    EXPECT_EQ(parts.counts, (std::vector<unsigned>{1, 1, 0, 1}));
    EXPECT_TRUE(parts.answer.ends_with(test::opt_record(1232, 0, 0x8000)));
}

TEST_F(DnsStub, RefusesNewerVersionsOfEdns)
{
    DnsQuery query;
    query.additional = 1;
    query.tail = test::opt_record(4096, 1);
    const DnsReplyParts parts(ask_raw(query.bytes()).bytes);
    EXPECT_EQ(parts.code(), 0U);
    EXPECT_EQ(parts.counts, (std::vector<unsigned>{1, 0, 0, 1}));
    EXPECT_TRUE(parts.answer.ends_with(test::opt_record(1232, 0x0100))) << "BADVERS: 16 in two pieces";
    EXPECT_EQ(names_.size(), 0U);
}

TEST_F(DnsStub, RefusesOtherClassesAndZoneTransfers)
{
    DnsQuery chaos;
    chaos.dns_class = 3;
    EXPECT_EQ(DnsReplyParts(ask_raw(chaos.bytes()).bytes).code(), refused);
    EXPECT_EQ(DnsReplyParts(ask("api.example.com", test::dns_axfr).bytes).code(), refused);
    EXPECT_EQ(DnsReplyParts(ask("api.example.com", test::dns_ixfr).bytes).code(), refused);
    EXPECT_EQ(names_.size(), 0U);
}

TEST_F(DnsStub, DoesNotImplementOtherOpcodes)
{
    for (const unsigned opcode : {1U, 2U, 4U, 5U, 15U}) {
        DnsQuery query;
        query.flags = opcode << 11 | 0x0100;
        const DnsReplyParts parts(ask_raw(query.bytes()).bytes);
        EXPECT_EQ(parts.code(), not_implemented) << opcode;
        EXPECT_EQ(parts.id, 0xbeefU);
        EXPECT_EQ(parts.flags >> 11 & 0x0fU, opcode);
    }
}

TEST_F(DnsStub, TellsMalformedQueriesSo)
{
    DnsQuery none;
    none.questions = 0;
    DnsQuery two;
    two.questions = 2;
    two.tail = two.name + test::u16(1) + test::u16(1);
    DnsQuery answers;
    answers.answers = 1;
    answers.tail = "\xc0\x0c"s + test::u16(1) + test::u16(1) + test::u16(0) + test::u16(300) + test::u16(4) + "abcd";
    DnsQuery loop;
    loop.name = "\xc0\x0c"s;
    DnsQuery forward;
    forward.name = "\xc0\xff"s;
    DnsQuery cut;
    cut.name = "\x3f"s + "abc";
    DnsQuery two_opts;
    two_opts.additional = 2;
    two_opts.tail = test::opt_record(512) + test::opt_record(4096);
    DnsQuery huge;
    huge.tail = std::string(5000, 'x');
    const std::pair<const char*, const DnsQuery*> cases[] = {
        {"no question", &none},
        {"two questions", &two},
        {"an answer in a query", &answers},
        {"a name that is its own end", &loop},
        {"a pointer behind the end", &forward},
        {"a cut name", &cut},
        {"two OPT records", &two_opts},
        {"more bytes than any query", &huge},
    };
    for (const auto& [why, query] : cases) {
        const DnsReplyParts parts(ask_raw(query->bytes()).bytes);
        EXPECT_EQ(parts.code(), format_error) << why;
        EXPECT_EQ(parts.id, 0xbeefU) << why;
        EXPECT_EQ(parts.counts, (std::vector<unsigned>{0, 0, 0, 0})) << why;
    }
}

TEST_F(DnsStub, SaysNothingToWhatIsNoQuery)
{
    DnsQuery reply;
    reply.flags = 0x8180;
    EXPECT_EQ(ask_raw(reply.bytes()).bytes, "") << "answering replies would never end";
    EXPECT_EQ(ask_raw("").bytes, "");
    EXPECT_EQ(ask_raw(DnsQuery().bytes().substr(0, 11)).bytes, "");
}

TEST_F(DnsStub, EveryCutOfAQueryIsAnsweredWithoutAnAddress)
{
    const auto query = DnsQuery().bytes();
    for (std::size_t size = 12; size < query.size(); ++size) {
        const auto reply = ask_raw(std::string_view(query).substr(0, size));
        EXPECT_EQ(DnsReplyParts(reply.bytes).code(), format_error) << size;
        EXPECT_FALSE(reply.unlisted);
    }
    EXPECT_EQ(names_.size(), 0U);
}

TEST_F(DnsStub, BothTransportsGetTheSameBytes)
{
    const auto query = DnsQuery().bytes();
    EXPECT_EQ(answer_dns(query, DnsTransport::udp, names_, policy_).bytes,
              answer_dns(query, DnsTransport::tcp, names_, policy_).bytes);
}

} // namespace
} // namespace aduana::proxy
