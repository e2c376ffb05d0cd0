// SPDX-License-Identifier: Apache-2.0
// The wire forms of each kind of injection, and the forms that are refused.
#include "broker/core/injection.hpp"

#include <gtest/gtest.h>

namespace aduana::broker {
namespace {

Result<Injection> inject_as(policy::InjectionKind kind, std::string_view secret = "open-sesame")
{
    policy::CredentialDeclaration declaration;
    declaration.name = "issues";
    declaration.inject = std::move(kind);
    return inject(declaration, Secret::copy_of(secret));
}

std::string field_of(const Result<Injection>& injection)
{
    if (!injection)
        return injection.error().message;
    EXPECT_EQ(injection->fields.size(), 1U);
    return injection->fields[0].name + ": " + std::string(injection->fields[0].value.reveal());
}

std::vector<std::string> scrub_of(const Result<Injection>& injection)
{
    std::vector<std::string> values;
    for (const auto& value : injection->scrub)
        values.emplace_back(value.reveal());
    return values;
}

TEST(Injection, BearerIsOneAuthorizationField)
{
    const auto injection = inject_as(policy::BearerInjection{});
    EXPECT_EQ(field_of(injection), "Authorization: Bearer open-sesame");
    EXPECT_EQ(scrub_of(injection), std::vector<std::string>{"open-sesame"});
}

TEST(Injection, BasicIsTheExampleOfItsRfc)
{
    // RFC 7617 section 2.
    const auto injection = inject_as(policy::BasicInjection{"Aladdin"}, "open sesame");
    EXPECT_EQ(field_of(injection), "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
    EXPECT_EQ(scrub_of(injection), (std::vector<std::string>{"open sesame", "QWxhZGRpbjpvcGVuIHNlc2FtZQ=="}));
}

TEST(Injection, BasicPadsEveryLength)
{
    EXPECT_EQ(field_of(inject_as(policy::BasicInjection{"u"}, "a")), "Authorization: Basic dTph");
    EXPECT_EQ(field_of(inject_as(policy::BasicInjection{"u"}, "ab")), "Authorization: Basic dTphYg==");
    EXPECT_EQ(field_of(inject_as(policy::BasicInjection{"u"}, "abc")), "Authorization: Basic dTphYmM=");
}

TEST(Injection, BasicTakesAPasswordWithColonsButNoUserWithOne)
{
    EXPECT_EQ(field_of(inject_as(policy::BasicInjection{"u"}, "a:b")), "Authorization: Basic dTphOmI=");
    EXPECT_EQ(field_of(inject_as(policy::BasicInjection{"a:b"})),
              "credential 'issues': the user of `basic` holds a colon or a control character");
    EXPECT_FALSE(inject_as(policy::BasicInjection{"a\nb"}));
}

TEST(Injection, HeaderPutsTheValueIntoItsFormat)
{
    EXPECT_EQ(field_of(inject_as(policy::HeaderInjection{"X-Api-Key", "{}"})), "X-Api-Key: open-sesame");
    EXPECT_EQ(field_of(inject_as(policy::HeaderInjection{"Authorization", "token {}; v=1"})),
              "Authorization: token open-sesame; v=1");
}

TEST(Injection, AValueThatLooksLikeAFormatStaysAsItIs)
{
    EXPECT_EQ(field_of(inject_as(policy::HeaderInjection{"X-Api-Key", "k {}"}, "a{}b{}c")), "X-Api-Key: k a{}b{}c");
}

TEST(Injection, AFormatNeedsExactlyOneSlot)
{
    for (const auto* format : {"", "key", "{}{}", "{} and {}", "{ }"}) {
        SCOPED_TRACE(format);
        EXPECT_EQ(field_of(inject_as(policy::HeaderInjection{"X-Api-Key", format})),
                  "credential 'issues': the `format` of `header` must hold {} exactly once");
    }
}

TEST(Injection, FieldsThatFrameOrRouteAreRefused)
{
    for (const auto* name :
         {"Host", "hOST", "Content-Length", "transfer-encoding", "Connection", "Upgrade", "TE", "Trailer", "Expect",
          "Keep-Alive", "Proxy-Connection", "", "X Key", "X-Key:", "X-K\xc3\xa9y", ":authority"}) {
        SCOPED_TRACE(name);
        EXPECT_FALSE(inject_as(policy::HeaderInjection{name, "{}"}));
    }
}

struct EditCase {
    const char* sentence;
    policy::InjectionKind kind;
    std::string_view secret;
    EditOp op;
    std::string_view name;
    std::string_view sent;
};

TEST(Injection, EditsHoldTheValueAsItIsSentThere)
{
    const EditCase cases[] = {
        {"an unreserved value is the same in a query", policy::QueryInjection{"key"}, "Ab-1._~z", EditOp::query, "key",
         "Ab-1._~z"},
        {"everything else is percent-encoded in a query", policy::QueryInjection{"key"}, "a+b/c=&d%e", EditOp::query,
         "key", "a%2Bb%2Fc%3D%26d%25e"},
        {"a form is like a query", policy::FormInjection{"token"}, "a+b c&", EditOp::form_field, "token",
         "a%2Bb%20c%26"},
        {"JSON escapes quotes and backslashes", policy::JsonInjection{"/auth/token"}, "a\"b\\c/d", EditOp::json_field,
         "/auth/token", "a\\\"b\\\\c/d"},
        {"a segment keeps what may stand in it", policy::PathInjection{"bot{}"}, "123:Ab_c-@d", EditOp::path, "bot{}",
         "123:Ab_c-@d"},
        {"a segment encodes what may not", policy::PathInjection{}, "a|b<c", EditOp::path, "{}", "a%7Cb%3Cc"},
        {"a cookie is bare", policy::CookieInjection{"session"}, "a=b:c", EditOp::cookie, "session", "a=b:c"},
        {"a text of a WebSocket is bare", policy::WebsocketTextInjection{}, "a.b-c/d+=", EditOp::websocket_text, "",
         "a.b-c/d+="},
    };
    for (const auto& test : cases) {
        SCOPED_TRACE(test.sentence);
        const auto injection = inject_as(test.kind, test.secret);
        ASSERT_TRUE(injection) << injection.error().message;
        EXPECT_TRUE(injection->fields.empty());
        ASSERT_EQ(injection->edits.size(), 1U);
        EXPECT_EQ(injection->edits[0].op, test.op);
        EXPECT_EQ(injection->edits[0].name, test.name);
        EXPECT_EQ(injection->edits[0].value.reveal(), test.sent);
        std::vector<std::string> expected{std::string(test.secret)};
        if (test.secret != test.sent)
            expected.emplace_back(test.sent);
        EXPECT_EQ(scrub_of(injection), expected) << "what is sent must not come back in either spelling";
    }
}

TEST(Injection, AValueThatWouldBeMoreThanItsSlotIsRefused)
{
    const std::pair<policy::InjectionKind, std::string_view> cases[] = {
        {policy::PathInjection{}, "a/b"},
        {policy::PathInjection{}, "a?b"},
        {policy::PathInjection{}, "a%b"},
        {policy::PathInjection{}, "a;b"},
        {policy::PathInjection{}, "a\\b"},
        {policy::PathInjection{}, ".."},
        {policy::PathInjection{"v{}"}, "1."},
        {policy::PathInjection{"none"}, "value"},
        {policy::CookieInjection{"session"}, "a;b"},
        {policy::CookieInjection{"session"}, "a,b"},
        {policy::CookieInjection{"session"}, "a\"b"},
        {policy::CookieInjection{"ses sion"}, "ab"},
        {policy::WebsocketTextInjection{}, "a\"b"},
        {policy::WebsocketTextInjection{}, "a\\b"},
        {policy::WebsocketTextInjection{}, "a&b"},
    };
    for (const auto& [kind, secret] : cases) {
        SCOPED_TRACE(secret);
        const auto injection = inject_as(kind, secret);
        ASSERT_FALSE(injection);
        EXPECT_TRUE(injection.error().message.starts_with("credential 'issues': ")) << injection.error().message;
        EXPECT_EQ(injection.error().message.find(secret), std::string::npos) << "no message tells a value";
    }
}

TEST(Injection, AValueThatWouldEndTheFieldIsRefusedHereToo)
{
    for (const auto* value : {"a\r\nX-Evil: y", "a\n", "\ta", "a ", " a", "a\x7f", "a\xc3\xa9", ""}) {
        SCOPED_TRACE(value);
        const auto injection = inject_as(policy::HeaderInjection{"X-Api-Key", "{}"}, value);
        ASSERT_FALSE(injection);
        EXPECT_EQ(injection.error().message,
                  "credential 'issues': the injected value would not be one well-formed header field");
    }
    EXPECT_FALSE(inject_as(policy::HeaderInjection{"X-Api-Key", "{}\r\nX-Evil: y"}));
}

} // namespace
} // namespace aduana::broker
