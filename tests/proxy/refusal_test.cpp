// SPDX-License-Identifier: Apache-2.0
// Refusals as people, npm, git and curl get to see them.
#include "proxy/core/refusal.hpp"

#include "proxy/core/http1.hpp"

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

#include <algorithm>

namespace aduana::proxy {
namespace {

using policy::Decision;
using policy::Reason;
using policy::Verdict;

const policy::Host host = policy::Host::parse("api.example.com").value();

policy::Attempt attempt(std::uint16_t port = 443)
{
    return {policy::Scheme::https, host, port, "POST", "/v1/issues"};
}

policy::Rule rule()
{
    policy::Rule rule;
    rule.name = "issues";
    rule.place = {4, 5};
    return rule;
}

Refusal refusal_of(Reason reason, const policy::Attempt& what, const policy::Rule* decided = nullptr)
{
    static const policy::TaskPolicy policy{{}};
    return refusal_for(policy, Decision{Verdict::deny, reason, decided}, what, "t1", "policy.yaml", 17);
}

TEST(Refusals, SayWhatOfTheRequestAPresetKeepsClosed)
{
    auto decided = rule();
    decided.preset.name = "s3";
    decided.preset.closed.push_back(policy::PathPattern::parse("/v1/keys/**").value());
    decided.preset.containers.push_back(policy::PathPattern::parse("/data").value());
    decided.preset.parameters = {"prefix"};
    decided.preset.fields = {"x-amz-acl"};
    auto asked = attempt();
    const auto detail = [&] { return refusal_of(Reason::closed_by_preset, asked, &decided).detail; };
    asked.path = "/v1/keys/1";
    EXPECT_EQ(detail(), "the preset of rule \"issues\" keeps this path of api.example.com closed");
    asked.path = "/data";
    asked.method = "DELETE";
    EXPECT_EQ(detail(), "the preset of rule \"issues\" keeps this DELETE to api.example.com closed");
    asked.path = "/data/a";
    asked.query = "policy=\x1b";
    EXPECT_EQ(detail(), "the preset of rule \"issues\" keeps the parameter \"policy\" of the query closed");
    asked.query.reset();
    const std::vector<std::string_view> fields{"X-Amz-Acl"};
    asked.fields = fields;
    EXPECT_EQ(detail(), "the preset of rule \"issues\" keeps the header field \"X-Amz-Acl\" closed");
}

struct Parts {
    std::string status_line;
    std::string head;
    std::string body;
};

/// As HTTP/1.1.
Parts rendered(const Refusal& refusal, RefusalFormat format = RefusalFormat::problem_json)
{
    const auto response = render(refusal, format);
    std::string head;
    append_head(head, response.head, {ResponseFraming::counted, response.body.size(), false});
    return {head.substr(0, head.find("\r\n")), head, response.body};
}

bool is_printable(std::string_view text)
{
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c <= 0x7e; });
}

TEST(Refusals, AreProblemDocuments)
{
    const auto decided = rule();
    const auto parts = rendered(refusal_of(Reason::method_not_allowed, attempt(), &decided));
    EXPECT_EQ(parts.status_line, "HTTP/1.1 403 Forbidden by Aduana: method-not-allowed");
    EXPECT_EQ(parts.head, "HTTP/1.1 403 Forbidden by Aduana: method-not-allowed\r\n"
                          "Content-Type: application/problem+json\r\n"
                          "Cache-Control: no-store\r\n"
                          "Aduana-Decision: deny; reason=method-not-allowed\r\n"
                          "Content-Length: " +
                              std::to_string(parts.body.size()) + "\r\n\r\n");
    const auto document = boost::json::parse(parts.body).as_object();
    const auto expect_member = [&document](const char* name, const boost::json::value& value) {
        ASSERT_TRUE(document.contains(name)) << name;
        EXPECT_EQ(document.at(name), value) << name;
    };
    expect_member("type", "urn:aduana:reason:method-not-allowed");
    expect_member("title", "Method not allowed");
    expect_member("status", 403);
    expect_member("detail", "no rule allows POST to api.example.com");
    expect_member("error",
                  "Aduana (method-not-allowed): no rule allows POST to api.example.com; add `methods: [POST]` to an "
                  "allow rule with `hosts: [api.example.com]`");
    expect_member("reason", "method-not-allowed");
    expect_member("rule", "issues (policy.yaml:4)");
    expect_member("destination", "https://api.example.com:443/v1/issues");
    expect_member("task", "t1");
    expect_member("record", 17U);
    expect_member("remedy", "add `methods: [POST]` to an allow rule with `hosts: [api.example.com]`");
    EXPECT_EQ(document.size(), 11U);
}

TEST(Refusals, AreTextForGit)
{
    const auto parts = rendered(refusal_of(Reason::no_rule, attempt()), RefusalFormat::plain_text);
    EXPECT_NE(parts.head.find("Content-Type: text/plain; charset=us-ascii\r\n"), std::string::npos);
    EXPECT_EQ(parts.body, "error: no rule of the policy names the host api.example.com\n"
                          "reason: no-rule\n"
                          "rule: none\n"
                          "remedy: add an allow rule with `hosts: [api.example.com]`, or use an allowed host\n");
}

TEST(Refusals, SayWhatToWriteInThePolicy)
{
    struct Case {
        Reason reason;
        std::uint16_t port;
        const char* detail;
        const char* remedy;
    };
    const Case cases[] = {
        {Reason::no_rule, 8443, "no rule of the policy names the host api.example.com",
         "add an allow rule with `hosts: [api.example.com]` and `ports: [8443]`, or use an allowed host"},
        {Reason::denied_by_rule, 443, "the deny rule \"issues\" covers this request to api.example.com",
         "use another destination, or narrow the deny rule \"issues\""},
        {Reason::path_not_allowed, 443, "no rule allows this path of api.example.com",
         "add `paths: [\"/v1/issues\"]` to an allow rule with `hosts: [api.example.com]`"},
        {Reason::port_not_allowed, 8443, "no rule allows port 8443 of api.example.com",
         "add `ports: [8443]` to an allow rule with `hosts: [api.example.com]`"},
        {Reason::scheme_not_allowed, 443, "no rule allows https to api.example.com",
         "add an allow rule with `scheme: https` and `hosts: [api.example.com]`"},
        {Reason::websocket_not_allowed, 443, "the rule \"issues\" does not allow a WebSocket to api.example.com",
         "add `websocket: true` to the rule \"issues\""},
    };
    const auto decided = rule();
    for (const auto& test : cases) {
        const auto refusal = refusal_of(test.reason, attempt(test.port), &decided);
        EXPECT_EQ(refusal.detail, test.detail);
        EXPECT_EQ(refusal.remedy, test.remedy);
    }
}

TEST(Refusals, OfPlainHttpSayTheScheme)
{
    const policy::Attempt plain{policy::Scheme::http, host, 80, {}, {}};
    const auto refusal = refusal_of(Reason::no_rule, plain);
    EXPECT_EQ(refusal.destination, "http://api.example.com:80");
    EXPECT_EQ(refusal.remedy,
              "add an allow rule with `hosts: [api.example.com]` and `scheme: http`, or use an allowed host");
}

TEST(Refusals, OfRawTcpByADenyRuleThatNamesRequestsSayThatNobodyCouldLook)
{
    const policy::Attempt raw{policy::Scheme::tcp, host, 22, {}, {}};
    auto deny = rule();
    deny.methods = {"POST"};
    const auto by_request = refusal_of(Reason::denied_by_rule, raw, &deny);
    EXPECT_EQ(by_request.detail, "the deny rule \"issues\" covers api.example.com, and it names requests: a raw "
                                 "connection cannot be looked into");
    EXPECT_EQ(by_request.remedy, "use another destination, or narrow the deny rule \"issues\" by `scheme` or `ports`");
    deny.methods.clear();
    deny.paths.clear();
    EXPECT_EQ(refusal_of(Reason::denied_by_rule, raw, &deny).detail,
              "the deny rule \"issues\" covers this request to api.example.com");
}

TEST(Refusals, OfRawTcpSaySchemeAndPort)
{
    const policy::Attempt raw{policy::Scheme::tcp, host, 22, {}, {}};
    EXPECT_EQ(refusal_of(Reason::no_rule, raw).destination, "tcp://api.example.com:22");
    EXPECT_EQ(
        refusal_of(Reason::no_rule, raw).remedy,
        "add an allow rule with `hosts: [api.example.com]` and `scheme: tcp` and `ports: [22]`, or use an allowed "
        "host");
    EXPECT_EQ(refusal_of(Reason::scheme_not_allowed, raw).remedy,
              "add an allow rule with `scheme: tcp` and `hosts: [api.example.com]` and `ports: [22]`");
}

TEST(Refusals, HaveTextForEveryReason)
{
    for (const auto& text : policy::all_reasons()) {
        if (text.reason == Reason::allowed)
            continue;
        SCOPED_TRACE(text.code);
        const auto parts = rendered(refusal_of(text.reason, attempt()));
        EXPECT_TRUE(parts.status_line.starts_with("HTTP/1.1 " + std::to_string(text.status) + " "));
        EXPECT_TRUE(parts.status_line.ends_with(" by Aduana: " + std::string(text.code)));
        const auto document = boost::json::parse(parts.body).as_object();
        EXPECT_GT(document.at("detail").as_string().size(), 10U);
        EXPECT_GT(document.at("remedy").as_string().size(), 10U);
    }
}

TEST(Refusals, NameTheStatusInWords)
{
    const std::pair<Reason, const char*> cases[] = {
        {Reason::framing_invalid, "HTTP/1.1 400 Bad Request by Aduana: framing-invalid"},
        {Reason::request_timeout, "HTTP/1.1 408 Request Timeout by Aduana: request-timeout"},
        {Reason::name_mismatch, "HTTP/1.1 421 Misdirected Request by Aduana: name-mismatch"},
        {Reason::limit_upload, "HTTP/1.1 413 Content Too Large by Aduana: limit-upload"},
        {Reason::limit_connections, "HTTP/1.1 429 Too Many Requests by Aduana: limit-connections"},
        {Reason::head_too_large, "HTTP/1.1 431 Request Header Fields Too Large by Aduana: head-too-large"},
        {Reason::internal, "HTTP/1.1 500 Internal Server Error by Aduana: internal"},
        {Reason::upstream_unreachable, "HTTP/1.1 502 Bad Gateway by Aduana: upstream-unreachable"},
        {Reason::credential_unavailable, "HTTP/1.1 503 Service Unavailable by Aduana: credential-unavailable"},
        {Reason::upstream_timeout, "HTTP/1.1 504 Gateway Timeout by Aduana: upstream-timeout"},
    };
    for (const auto& [reason, line] : cases)
        EXPECT_EQ(rendered(refusal_of(reason, attempt())).status_line, line);
}

TEST(Refusals, BlameTheServerForItsMalformedAnswer)
{
    for (const auto reason : {Reason::framing_invalid, Reason::head_too_large}) {
        EXPECT_EQ(refusal_for({reason, Party::upstream, "d"}, "https://a.test:443/", "t1", 1).reason,
                  Reason::upstream_invalid);
        EXPECT_EQ(refusal_for({reason, Party::client, "d"}, "https://a.test:443/", "t1", 1).reason, reason);
    }
    const auto refusal = refusal_for({Reason::upstream_timeout, Party::upstream, "no answer within 60 s"},
                                     "https://a.test:443/", "t1", 9);
    EXPECT_EQ(refusal.reason, Reason::upstream_timeout);
    EXPECT_EQ(refusal.detail, "no answer within 60 s");
    EXPECT_EQ(refusal.destination, "https://a.test:443/");
    EXPECT_EQ(refusal.task, "t1");
    EXPECT_EQ(refusal.record, 9U);
}

TEST(Refusals, MakeWhatTheSandboxSentHarmless)
{
    Refusal refusal;
    refusal.reason = Reason::no_rule;
    refusal.detail = "a\r\nX-Injected: 1\x1b[2J\xe2\x80\xae\"}<script>";
    refusal.destination = "https://a.test/" + std::string(100'000, 'x');
    refusal.rule = "r\n";
    refusal.rule_place = "p\t";
    refusal.task = "\x7f";
    const auto json = rendered(refusal);
    EXPECT_EQ(json.head.find("Injected"), std::string::npos);
    EXPECT_LT(json.body.size(), 4096U);
    EXPECT_TRUE(is_printable(std::string_view(json.body).substr(0, json.body.size() - 1)));
    const auto document = boost::json::parse(json.body).as_object();
    EXPECT_EQ(document.at("detail"), "a??X-Injected: 1?[2J???\"}<script>");
    EXPECT_TRUE(document.at("destination").as_string().ends_with("xxx..."));
    const auto text = rendered(refusal, RefusalFormat::plain_text);
    EXPECT_EQ(std::count(text.body.begin(), text.body.end(), '\n'), 4);
}

TEST(Formats, AreChosenByClient)
{
    struct Case {
        const char* user_agent;
        const char* accept;
        RefusalFormat expected;
        const char* content_type = "";
    };
    const Case cases[] = {
        {"git/2.39.5", "*/*", RefusalFormat::plain_text},
        {"git/2.39.5", "", RefusalFormat::plain_text},
        {"curl/7.88.1", "*/*", RefusalFormat::problem_json},
        {"npm/10", "application/json", RefusalFormat::problem_json},
        {"", "", RefusalFormat::problem_json},
        {"x", "text/plain", RefusalFormat::plain_text},
        {"x", "text/plain, application/json", RefusalFormat::problem_json},
        {"x", "text/plain, */*;q=0.1", RefusalFormat::problem_json},
        {"x-git/1", "*/*", RefusalFormat::problem_json},
        {"grpc-node-js/1", "", RefusalFormat::grpc_status, "application/grpc"},
        {"grpc-go/1", "", RefusalFormat::grpc_status, "application/grpc+proto"},
        {"x", "*/*", RefusalFormat::problem_json, "application/grpc-web"},
        {"x", "*/*", RefusalFormat::problem_json, "application/json"},
    };
    for (const auto& test : cases) {
        Fields request;
        request.add("User-Agent", test.user_agent);
        request.add("Accept", test.accept);
        request.add("Content-Type", test.content_type);
        EXPECT_EQ(format_for(request, "h2"), test.expected) << test.user_agent << " " << test.accept;
        if (test.expected == RefusalFormat::grpc_status)
            EXPECT_EQ(format_for(request, "http/1.1"), RefusalFormat::problem_json) << "there is no gRPC in HTTP/1.1";
        else
            EXPECT_EQ(format_for(request, "http/1.1"), test.expected) << test.user_agent << " " << test.accept;
    }
}

TEST(Refusals, AreOneStatusForGrpc)
{
    struct Case {
        Reason reason;
        const char* status;
    };
    for (const auto& [reason, status] :
         {Case{Reason::path_not_allowed, "7"}, Case{Reason::name_mismatch, "7"}, Case{Reason::limit_requests, "8"},
          Case{Reason::limit_upload, "8"}, Case{Reason::upstream_unreachable, "14"},
          Case{Reason::response_unscrubbable, "13"}, Case{Reason::path_ambiguous, "7"}}) {
        Refusal refusal;
        refusal.reason = reason;
        refusal.detail = "100% refused";
        const auto response = render(refusal, RefusalFormat::grpc_status);
        EXPECT_EQ(response.head.status, 200);
        EXPECT_TRUE(response.body.empty()) << "trailers only";
        EXPECT_EQ(response.head.fields.fields().find("Content-Type"), "application/grpc");
        EXPECT_EQ(response.head.fields.fields().find("grpc-status"), status);
        const auto message = std::string(response.head.fields.fields().find("grpc-message").value_or(""));
        const auto code = std::string(policy::text_of(reason).code);
        EXPECT_TRUE(message.starts_with("Aduana (" + code + "): 100%25 refused; ")) << message;
    }
}

TEST(DestinationTexts, TellPortAndPathApart)
{
    struct Case {
        const char* why;
        const char* host;
        const char* path;
        const char* expected;
    };
    const Case cases[] = {
        {"a path follows the port", "api.test", "/v1", "https://api.test:443/v1"},
        {"no path is known yet", "api.test", "", "https://api.test:443"},
        {"OPTIONS * names no path, and the port is no pattern", "api.test", "*", "https://api.test:443 (*)"},
        {"an IPv6 address stands in brackets", "2001:db8::1", "/", "https://[2001:db8::1]:443/"},
    };
    for (const auto& test : cases)
        EXPECT_EQ(destination_text("https", test.host, 443, test.path), test.expected) << test.why;
}

TEST(Refusals, DoNotAdviseAPathPatternForTheWholeServer)
{
    const policy::Attempt options{policy::Scheme::https, host, 443, "OPTIONS", "*"};
    const auto refusal = refusal_of(Reason::path_not_allowed, options);
    EXPECT_EQ(refusal.destination, "https://api.example.com:443 (*)");
    EXPECT_EQ(refusal.remedy, "ask for a path: no `paths` of a rule covers *");
}

TEST(TerminalLines, SayAllOnOneLine)
{
    EXPECT_EQ(terminal_line(refusal_of(Reason::no_rule, attempt())),
              "refused https://api.example.com:443/v1/issues (no-rule): no rule of the policy names the host "
              "api.example.com; "
              "add an allow rule with `hosts: [api.example.com]`, or use an allowed host");
    EXPECT_EQ(terminal_line(refusal_of(Reason::credential_insecure, attempt())),
              "refused https://api.example.com:443/v1/issues (credential-insecure): the rule has a credential, and a "
              "credential "
              "never goes over plain http; use https for this host");
}

TEST(TerminalLines, KeepNamesAsTheyAreWritten)
{
    const std::pair<const char*, const char*> cases[] = {
        {"X-Original-URL asks for another path.", "X-Original-URL asks for another path; send"},
        {"Transfer-Encoding is not exactly \"chunked\"", "Transfer-Encoding is not exactly \"chunked\"; send"},
        {"Host must be given exactly once", "Host must be given exactly once; send"},
        {"a fragment in the request target", "a fragment in the request target; send"},
        {"", "the request is not well-formed HTTP, or its length can be read in two ways; send"},
    };
    for (const auto& [detail, expected] : cases) {
        const auto line = terminal_line(refusal_for({Reason::framing_invalid, Party::client, detail}, "d", "t1", 1));
        EXPECT_TRUE(line.starts_with(std::string("refused d (framing-invalid): ") + expected)) << line;
    }
}

TEST(TerminalLines, AreBoundedAndPrintable)
{
    Refusal refusal;
    refusal.reason = Reason::no_rule;
    refusal.detail = std::string(1000, '\n');
    refusal.destination = std::string(1000, '\x1b');
    const auto line = terminal_line(refusal);
    EXPECT_LE(line.size(), 400U);
    EXPECT_TRUE(is_printable(line));
    EXPECT_TRUE(terminal_line(Refusal{}).starts_with("refused a connection (internal): "));
}

} // namespace
} // namespace aduana::proxy
