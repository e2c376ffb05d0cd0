// SPDX-License-Identifier: Apache-2.0
// Where the edits of a lease go in a request, and which requests have no place for them.
#include "proxy/core/placement.hpp"

#include "proxy/core/head_parser.hpp"

#include <gtest/gtest.h>

namespace aduana::proxy {
namespace {

using broker::EditOp;

constexpr std::string_view placeholder = "EGP_ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const std::string holder(placeholder);

broker::Lease lease_with(EditOp op, std::string name, std::string_view value = "sent%2Fvalue")
{
    broker::Lease lease;
    lease.edits.push_back({op, std::move(name), Secret::copy_of(value)});
    return lease;
}

struct Request {
    std::string path = "/p";
    std::string query;
    std::string fields;
};

/// "PATH QUERY Cookie: ..." as it goes on, or the refusal.
std::string sent(const broker::Lease& lease, const Request& request, std::string_view known = placeholder,
                 const WebsocketOffer* websocket = nullptr)
{
    const std::string bytes = "GET /p HTTP/1.1\r\nHost: api.example.com\r\n" + request.fields + "\r\n";
    const auto head = parse_request_head(bytes);
    EXPECT_TRUE(head);
    const Target target{policy::Scheme::https, policy::Host::parse("api.example.com").value(), 443, request.path,
                        request.query};
    const auto placement = place(*head, target, lease, known, websocket);
    if (!placement)
        return placement.error().detail;
    auto out = rewrite_request(*head, target, &lease, Scrubbing::off).value();
    put_into(out, *placement);
    auto text = std::string(out.path) + std::string(out.query);
    for (const auto& field : out.fields) {
        text.append("|").append(field.name).append(": ").append(field.value);
        EXPECT_EQ(field.injected, field.value.find("sent") != std::string_view::npos);
    }
    EXPECT_EQ(out.target_injected, std::string(out.path).append(out.query).find("sent") != std::string::npos);
    return text;
}

TEST(Placement, AParameterIsFilledOrAdded)
{
    const auto lease = lease_with(EditOp::query, "key");
    EXPECT_EQ(sent(lease, {"/p", "", ""}), "/p?key=sent%2Fvalue");
    EXPECT_EQ(sent(lease, {"/p", "?", ""}), "/p?key=sent%2Fvalue");
    EXPECT_EQ(sent(lease, {"/p", "?a=%7e+1", ""}), "/p?a=%7e+1&key=sent%2Fvalue");
    EXPECT_EQ(sent(lease, {"/p", "?a&", ""}), "/p?a&key=sent%2Fvalue");
    EXPECT_EQ(sent(lease, {"/p", "?key=" + holder + "&b", ""}), "/p?key=sent%2Fvalue&b");
    EXPECT_EQ(sent(lease, {"/p", "?key=1&key=2", ""}),
              "the parameter key must stand in it once, as key=VALUE, or not at all");
    EXPECT_EQ(sent(lease, {"/p", "", ""}, ""), "/p?key=sent%2Fvalue") << "a placeholder is not needed";
}

TEST(Placement, ASegmentIsReplacedWhole)
{
    const auto lease = lease_with(EditOp::path, "bot{}", "sent:value");
    EXPECT_EQ(sent(lease, {"/bot" + holder + "/getMe", "?a=" + holder, ""}), "/botsent:value/getMe?a=" + holder);
    EXPECT_EQ(sent(lease, {"/a/bot" + holder, "", ""}), "/a/botsent:value");
    const std::string refused = "one segment of the path must be bot{} with the placeholder instead of {}";
    const std::vector<std::string> paths{"/getMe",
                                         "/bot/getMe",
                                         "/robot" + holder,
                                         "/botx" + holder,
                                         "/bot" + holder + "x",
                                         "/bot" + holder + "/bot" + holder,
                                         "/" + holder,
                                         "*"};
    for (const auto& path : paths)
        EXPECT_EQ(sent(lease, {path, "", ""}), refused) << path;
}

TEST(Placement, APathThatSomeServersReadAsAnotherAccountIsRefused)
{
    const auto lease = lease_with(EditOp::path, "bot{}", "sent:value");
    const std::string two_readings =
        "its path can be read in more than one way, and to some servers another account stands in it";
    for (const std::string rest : {"/../bot999:other/send", "/..%2fbot999:other%2fsend", "/..;/bot999/send",
                                   "/.%2e/bot999/send", "/\\..\\bot999/send"})
        EXPECT_EQ(sent(lease, {"/bot" + holder + rest, "", ""}), two_readings) << rest;
    const std::string refused = "one segment of the path must be bot{} with the placeholder instead of {}";
    for (const std::string before : {"/bot999:other", "/bot999%2Fsend", "/x/bot999/y"})
        EXPECT_EQ(sent(lease, {before + "/bot" + holder, "", ""}), refused) << before;
    EXPECT_EQ(sent(lease, {"/bot/bot" + holder + "/bots.png", "", ""}), "/bot/botsent:value/bots.png");
    const auto whole = lease_with(EditOp::path, "{}", "sent");
    EXPECT_EQ(sent(whole, {"/v1/" + holder + "/send", "", ""}), "/v1/sent/send");
}

TEST(Placement, ACookieTakesThePlaceOfAllOfItsName)
{
    const auto lease = lease_with(EditOp::cookie, "session", "sent");
    EXPECT_EQ(sent(lease, {}), "/p|Cookie: session=sent");
    EXPECT_EQ(sent(lease, {"/p", "", "Cookie: a=1; session=mine; b=\"2\"\r\nCookie: SESSION=x; c\r\n"}),
              "/p|Cookie: a=1; b=\"2\"; c; session=sent");
}

TEST(Placement, TextsNeedAWebsocket)
{
    const auto lease = lease_with(EditOp::websocket_text, "", "sent");
    EXPECT_EQ(sent(lease, {}), "the credential goes into the texts of a WebSocket, and this request asks for none");
    const WebsocketOffer offer;
    EXPECT_EQ(sent(lease, {}, placeholder, &offer), "/p");
}

TEST(Placement, WhatStandsForAPlaceholderNeedsOne)
{
    for (const auto op : {EditOp::path, EditOp::form_field, EditOp::json_field, EditOp::websocket_text})
        EXPECT_EQ(sent(lease_with(op, op == EditOp::json_field ? "/t" : "{}", "sent"), {"/x", "", ""}, ""),
                  "the credential does not fit into its place");
}

TEST(Placement, AValueThatIsMoreThanOneIsRefusedHereToo)
{
    const std::pair<EditOp, std::string_view> cases[] = {
        {EditOp::query, "a&b=c"},     {EditOp::query, "a b"},        {EditOp::query, "a#b"},
        {EditOp::query, ""},          {EditOp::form_field, "a&b"},   {EditOp::path, "a/b"},
        {EditOp::path, "a?b"},        {EditOp::cookie, "a;b"},       {EditOp::cookie, "a\r\nX: y"},
        {EditOp::json_field, "a\"b"}, {EditOp::json_field, "a\\"},   {EditOp::json_field, "a\\nb"},
        {EditOp::json_field, "a\nb"}, {EditOp::websocket_text, "\""}};
    const WebsocketOffer offer;
    for (const auto& [op, value] : cases) {
        const auto* name = op == EditOp::json_field ? "/t" : op == EditOp::path ? "{}" : "t";
        EXPECT_EQ(sent(lease_with(op, name, value), {"/" + holder, "", ""}, placeholder, &offer),
                  "the credential does not fit into its place")
            << value;
    }
    EXPECT_EQ(sent(lease_with(EditOp::path, "{}", "%2e%2e"), {"/" + holder, "", ""}),
              "the credential does not fit into a path");
}

std::string editable(EditOp op, const std::string& fields, std::uint64_t size = 10)
{
    const std::string bytes = "POST /p HTTP/1.1\r\nHost: api.example.com\r\n" + fields + "\r\n";
    const auto head = parse_request_head(bytes);
    EXPECT_TRUE(head);
    const auto checked = check_editable(*head, {BodyLength::Kind::counted, size}, lease_with(op, "/t").edits.front());
    return checked ? "yes" : checked.error().detail;
}

TEST(Placement, BodiesAreEditedAsTheyAreOrNotAtAll)
{
    const std::string form = "Content-Type: application/x-www-form-urlencoded\r\n";
    const std::string json = "Content-Type: Application/JSON; charset=utf-8\r\n";
    const std::string no_form = "the credential goes into a form, and the body is no application/x-www-form-urlencoded";
    const std::string no_json = "the credential goes into JSON, and the body is no application/json";
    EXPECT_EQ(editable(EditOp::form_field, form), "yes");
    EXPECT_EQ(editable(EditOp::json_field, json), "yes");
    EXPECT_EQ(editable(EditOp::json_field, "Content-Type: application/vnd.api+json\r\n"), "yes");
    EXPECT_EQ(editable(EditOp::form_field, json), no_form);
    EXPECT_EQ(editable(EditOp::form_field, "Content-Type: multipart/form-data; boundary=x\r\n"), no_form);
    EXPECT_EQ(editable(EditOp::form_field, ""), no_form);
    EXPECT_EQ(editable(EditOp::form_field, form + form), no_form) << "two types are two readings";
    EXPECT_EQ(editable(EditOp::json_field, form), no_json);
    EXPECT_EQ(editable(EditOp::json_field, "Content-Type: text/json\r\n"), no_json);
    EXPECT_EQ(editable(EditOp::json_field, json + "Content-Encoding: identity\r\n"), "yes");
    EXPECT_EQ(editable(EditOp::json_field, json + "Content-Encoding: gzip\r\n"),
              "the credential goes into its body, which is compressed");
    EXPECT_EQ(editable(EditOp::json_field, json, max_edited_body), "yes");
    EXPECT_EQ(editable(EditOp::json_field, json, max_edited_body + 1),
              "the credential goes into its body, which is longer than 1 MiB");
}

TEST(Placement, ABodyInAnotherCharsetIsRefused)
{
    const std::string json = "Content-Type: application/json; ";
    const std::string form = "Content-Type: application/x-www-form-urlencoded; ";
    for (const std::string fine : {"charset=UTF-8", "charset=\"utf-8\"", "charset=utf8 ; x=1", "x=1"}) {
        EXPECT_EQ(editable(EditOp::json_field, json + fine + "\r\n"), "yes") << fine;
        EXPECT_EQ(editable(EditOp::form_field, form + fine + "\r\n"), "yes") << fine;
    }
    EXPECT_EQ(editable(EditOp::json_field, json + "charset=US-ASCII\r\n"), "yes");
    EXPECT_EQ(editable(EditOp::json_field, json + "charset=UTF-7\r\n"),
              "its Content-Type says \"charset=utf-7\", in which other names could stand in the body: write it in "
              "UTF-8, and say charset=utf-8 or none");
    for (const std::string other :
         {"charset=ibm037", "charset=utf-16", "Charset=\"utf-7\"", "charset = utf-7", "charset*=utf-8''utf-7",
          "charset*0=utf-8; charset*1=x", "charset=utf-8; charset=utf-7", "x=\"; charset=utf-7\"", "charset='utf-8'",
          "charset=utf-8,utf-7", "charset=", "charset"}) {
        EXPECT_TRUE(editable(EditOp::json_field, json + other + "\r\n").starts_with("its Content-Type says")) << other;
        EXPECT_TRUE(editable(EditOp::form_field, form + other + "\r\n").starts_with("its Content-Type says")) << other;
    }
}

std::string found(EditOp op, const std::string& name, const std::string& body)
{
    const auto lease = lease_with(op, name);
    const auto slot = find_field(body, lease.edits.front(), placeholder);
    return slot ? std::string(FilledText(body, *slot, "V").reveal()) : slot.error().detail;
}

TEST(Placement, AFieldIsFilledOnlyWhereThePlaceholderStands)
{
    EXPECT_EQ(found(EditOp::form_field, "token", "a=1&token=" + holder + "&text=" + holder),
              "a=1&token=V&text=" + holder);
    EXPECT_EQ(found(EditOp::form_field, "token", "token=E%47P_" + holder.substr(4)), "token=V");
    const std::string no_field = "the field token of its form is not the placeholder";
    EXPECT_EQ(found(EditOp::form_field, "token", "text=" + holder), no_field);
    EXPECT_EQ(found(EditOp::form_field, "token", "token=other"), no_field);
    EXPECT_EQ(found(EditOp::form_field, "token", "token="), no_field);
    EXPECT_EQ(found(EditOp::form_field, "token", "token=x" + holder), no_field);
    EXPECT_EQ(found(EditOp::json_field, "/t", R"({"t":")" + holder + R"(","u":")" + holder + R"("})"),
              R"({"t":"V","u":")" + holder + R"("})");
    EXPECT_EQ(found(EditOp::json_field, "/t", R"({"t":"\u0045)" + holder.substr(1) + R"("})"), R"({"t":"V"})");
    EXPECT_EQ(found(EditOp::json_field, "/t", R"({"t":"mine"})"),
              "the string at /t of its JSON is not the placeholder");
}

TEST(Placement, DigestsAndExpectationsOfAnEditedBodyAreLeftOut)
{
    const auto lease = lease_with(EditOp::json_field, "/t");
    EXPECT_EQ(sent(lease, {"/p", "", "Content-MD5: x\r\nDigest: y\r\nExpect: 100-continue\r\nX-A: 1\r\n"}),
              "/p|X-A: 1");
    const auto query = lease_with(EditOp::query, "key", "sent");
    EXPECT_EQ(sent(query, {"/p", "", "Digest: y\r\n"}), "/p?key=sent|Digest: y");
}

} // namespace
} // namespace aduana::proxy
