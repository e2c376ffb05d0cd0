// SPDX-License-Identifier: Apache-2.0
// Each event as the line that README.md promises.
#include "audit/event.hpp"

#include "audit/parsed_line.hpp"

#include <gtest/gtest.h>

namespace aduana::audit {
namespace {

const std::string zeros(64, '0');

std::string line_of(const Event& event)
{
    std::string line;
    append_line(line, event, 7, 1'782'907'200'123'456, "demo", zeros);
    return line;
}

/// What follows the members that every line has.
std::string own_members(const Event& event)
{
    const std::string common = R"({"v":1,"seq":7,"time":"2026-07-01T12:00:00.123456Z","event":")" +
                               std::string(name_of(event)) + R"(","task":"demo","prev":")" + zeros + "\"";
    const std::string line = line_of(event);
    EXPECT_EQ(line.substr(0, common.size()), common);
    EXPECT_TRUE(line.ends_with("}\n"));
    return line.substr(common.size(), line.size() - common.size() - 2);
}

TEST(Event, ARequestHasAllMembersEvenEmptyOnes)
{
    EXPECT_EQ(
        own_members(Request{}),
        R"(,"id":0,"decision":"","reason":"","rule":"","method":"","scheme":"","host":"","port":0,"path":"",)"
        R"("query_keys":[],"status":0,"bytes_up":0,"bytes_down":0,"duration_us":0,"protocol":"","upstream_ip":"",)"
        R"("tls":"","credential":"","lease":"","scrubbed":0,"error":"")");
}

TEST(Event, ARequestIsWrittenInFull)
{
    const Request request{.id = 1,
                          .decision = "intercept",
                          .reason = "allowed",
                          .rule = "issues",
                          .rule_place = "3:5",
                          .method = "POST",
                          .scheme = "https",
                          .host = "api.example.com",
                          .port = 443,
                          .path = "/v1/issues",
                          .query_keys = {"page", "q"},
                          .status = 201,
                          .bytes_up = 12,
                          .bytes_down = 34567,
                          .duration_us = 890,
                          .protocol = "http/1.1",
                          .way_in = "connect",
                          .upstream_ip = "192.0.2.1",
                          .tls = "TLSv1.3",
                          .credential = "issues-api",
                          .lease = "l1",
                          .scrubbed = 2,
                          .error = "cut",
                          .ended_by = "upstream",
                          .foreign_credential = "X-Api-Key"};
    EXPECT_EQ(own_members(request),
              R"(,"id":1,"decision":"intercept","reason":"allowed","rule":"issues","rule_place":"3:5","method":"POST",)"
              R"("scheme":"https","host":"api.example.com","port":443,"path":"/v1/issues","query_keys":["page","q"],)"
              R"("status":201,"bytes_up":12,"bytes_down":34567,"duration_us":890,"protocol":"http/1.1",)"
              R"("way_in":"connect","upstream_ip":"192.0.2.1","tls":"TLSv1.3","credential":"issues-api","lease":"l1",)"
              R"("scrubbed":2,"error":"cut","ended_by":"upstream","foreign_credential":"X-Api-Key")");
}

TEST(Event, EachKindHasItsNameAndMembers)
{
    const std::tuple<Event, std::string, std::string> cases[] = {
        {TaskStart{"ab", "npm ci", {{"team", "web"}}, "KEY", "ID", "CERT"}, "task.start",
         R"(,"policy_sha256":"ab","command":"npm ci","labels":{"team":"web"},"task_key":"KEY","installation_key_id":"ID","certificate":"CERT")"},
        {TaskEnd{-1, "signal", {"memory"}, 3}, "task.end",
         R"(,"exit_status":-1,"cause":"signal","limits_hit":["memory"],"requests":3)"},
        {PolicyLoad{"ab", 2, 1}, "policy.load", R"(,"policy_sha256":"ab","allow_rules":2,"deny_rules":1)"},
        {RequestStart{1, "r", "GET", "https", "h.test", 443, "/", "", ""}, "request.start",
         R"(,"id":1,"rule":"r","method":"GET","scheme":"https","host":"h.test","port":443,"path":"/")"},
        {RequestStart{1, "r", "GET", "https", "h.test", 443, "/", "c", "l"}, "request.start",
         R"(,"id":1,"rule":"r","method":"GET","scheme":"https","host":"h.test","port":443,"path":"/","credential":"c","lease":"l")"},
        {TunnelStart{2, "r", "h.test", 443}, "tunnel.start", R"(,"id":2,"rule":"r","host":"h.test","port":443)"},
        {Tunnel{2, "r", "h.test", 443, "192.0.2.1", 5, 6, 7, ""}, "tunnel",
         R"(,"id":2,"rule":"r","host":"h.test","port":443,"upstream_ip":"192.0.2.1","bytes_up":5,"bytes_down":6,"duration_us":7)"},
        {TcpStart{{2, "db", "db.test", 5432}}, "tcp.start", R"(,"id":2,"rule":"db","host":"db.test","port":5432)"},
        {Tcp{{2, "db", "db.test", 5432, "192.0.2.1", 5, 6, 7, "cut", "client"}}, "tcp",
         R"(,"id":2,"rule":"db","host":"db.test","port":5432,"upstream_ip":"192.0.2.1","bytes_up":5,"bytes_down":6,"duration_us":7,"error":"cut","ended_by":"client")"},
        {Dns{"x.test", "TXT", "nodata"}, "dns", R"(,"name":"x.test","type":"TXT","answer":"nodata")"},
        {LeaseIssue{"l", "c", 900000, 1000}, "lease.issue",
         R"(,"lease":"l","credential":"c","ttl_ms":900000,"uses":1000)"},
        {LeaseRevoke{"l", "c", "task-ended"}, "lease.revoke", R"(,"lease":"l","credential":"c","why":"task-ended")"},
        {Capture{3, "c", 2}, "capture", R"(,"id":3,"credential":"c","count":2)"},
        {PlaceholderSeen{3, "c", "body", "passed", ""}, "placeholder",
         R"(,"id":3,"credential":"c","place":"body","verdict":"passed")"},
        {PlaceholderSeen{3, "", "head", "refused", "of another task"}, "placeholder",
         R"(,"id":3,"place":"head","verdict":"refused","alarm":"of another task")"},
        {LimitHit{"memory", ""}, "limit.hit", R"(,"limit":"memory")"},
        {LimitHit{"disk", "work folder"}, "limit.hit", R"(,"limit":"disk","detail":"work folder")"},
        {Checkpoint{6, "ab", "SIG"}, "checkpoint", R"(,"head_seq":6,"head_hash":"ab","signature":"SIG")"},
    };
    for (const auto& [event, name, members] : cases) {
        SCOPED_TRACE(name);
        EXPECT_EQ(name_of(event), name);
        EXPECT_EQ(own_members(event), members);
    }
}

TEST(Event, OnlyAWebsocketTellsItsMessages)
{
    Request request;
    EXPECT_EQ(own_members(request).find("messages"), std::string::npos);
    request.messages_up = 3;
    request.messages_down = 0;
    EXPECT_TRUE(own_members(request).ends_with(R"(,"error":"","messages_up":3,"messages_down":0)"));
}

TEST(Event, ALineIsReadBack)
{
    const std::string line = line_of(Dns{"a\nb", "A", "synthetic"});
    const auto parsed = parse_line(std::string_view(line).substr(0, line.size() - 1));
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->seq, 7U);
    EXPECT_EQ(parsed->event, "dns");
    EXPECT_EQ(parsed->task, "demo");
    EXPECT_EQ(parsed->prev, zeros);
    EXPECT_EQ(parsed->text("name"), "a\nb");
}

TEST(Event, LongTextsAreCut)
{
    const std::string long_text(20'000, 'x');
    EXPECT_EQ(own_members(LimitHit{long_text, ""}), R"(,"limit":")" + std::string(8192, 'x') + "\"");
    TaskStart start;
    start.command = long_text;
    EXPECT_NE(line_of(start).find('"' + std::string(4096, 'x') + '"'), std::string::npos);
}

TEST(Event, SignedStatementsCannotBeTakenForEachOther)
{
    EXPECT_EQ(task_key_statement("demo", "KEY"), "aduana task key v1\ndemo\nKEY\n");
}

} // namespace
} // namespace aduana::audit
