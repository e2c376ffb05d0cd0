// SPDX-License-Identifier: Apache-2.0
// Tokens of OAuth servers: the calls to the byte, and what answers are believed.
#include "tests/broker/mint.hpp"
#include "tests/broker/signed.hpp"

#include <gmock/gmock.h>

#include <set>

namespace aduana::broker {
namespace {

using namespace mint;
using namespace std::chrono_literals;
using policy::OAuth2Source;
using testing::HasSubstr;

OAuth2Source client_credentials()
{
    return {url("https://idp.example.com/token"),
            "agent",
            policy::ClientSecretBasic{},
            policy::ClientCredentialsGrant{},
            {"read", "write"},
            {},
            {}};
}

Inputs basic_inputs()
{
    return {{"client_secret", "hunter2hunter2\n"}};
}

constexpr std::string_view good = R"({"access_token":"at-0123456789","token_type":"Bearer","expires_in":600,)"
                                  R"("scope":"write read"})";

Step answered(const OAuth2Source& source, const Inputs& inputs, const Answer& answer)
{
    const World world;
    const auto issuer = issuer_of(source, inputs);
    (void)step_of<Call>(issuer->begin(world.context()));
    return issuer->resume(answer, world.context());
}

TEST(OAuth2, AsksForClientCredentialsAsRfc6749HasIt)
{
    const World world;
    auto source = client_credentials();
    source.resource = {"https://api.example.com/"};
    source.audience = {"api", "other"};
    const auto issuer = issuer_of(source, basic_inputs());
    EXPECT_EQ(text_of(step_of<Call>(issuer->begin(world.context()))),
              "POST https://idp.example.com:443/token\n"
              "Accept: application/json\n"
              "Content-Type: application/x-www-form-urlencoded\n"
              "Authorization: Basic YWdlbnQ6aHVudGVyMmh1bnRlcjI=\n"
              "grant_type=client_credentials&scope=read+write&resource=https%3A%2F%2Fapi.example.com%2F"
              "&audience=api&audience=other");
    const auto issued = step_of<Issued>(issuer->resume(answer(200, good), world.context()));
    EXPECT_EQ(token_of(issued), "at-0123456789");
    EXPECT_EQ(issued.lifetime, 600s);
    EXPECT_FALSE(issued.refresh_token);
}

TEST(OAuth2, EncodesIdAndSecretForBasicOnlyWhereTheServerWantsIt)
{
    const World world;
    auto source = client_credentials();
    source.client_id = "a:b";
    const Inputs inputs{{"client_secret", "/+%41:x"}};
    const auto encoded = step_of<Call>(issuer_of(source, inputs)->begin(world.context()));
    EXPECT_THAT(text_of(encoded),
                HasSubstr("Basic " + std::string(SecretWriter().put_base64("a%3Ab:%2F%2B%2541%3Ax").view()) + "\n"));
    source.client_id = "a";
    source.auth = policy::ClientSecretBasic{{}, policy::BasicEncoding::raw};
    const auto raw = step_of<Call>(issuer_of(source, inputs)->begin(world.context()));
    EXPECT_THAT(text_of(raw), HasSubstr("Basic " + std::string(SecretWriter().put_base64("a:/+%41:x").view()) + "\n"));
    source.client_id = "a:b";
    const auto ambiguous = make_issuer(source, inputs.view());
    ASSERT_FALSE(ambiguous);
    EXPECT_EQ(ambiguous.error().message, "its `client_id` holds a colon, which ends it in Basic authentication");
}

// What stands in the body, for sources whose head holds nothing of theirs.
std::string body_of(const OAuth2Source& source, const Inputs& inputs)
{
    const World world;
    const auto issuer = issuer_of(source, inputs);
    return std::string(step_of<Call>(issuer->begin(world.context())).body.reveal());
}

std::string pem_of_new_key()
{
    return std::string(SigningKey::generate().to_pem().reveal());
}

/// The value of `name` in a form, decoded as far as tokens need it.
std::string form_value(const std::string& form, const std::string& name)
{
    const auto at = ("&" + form).find("&" + name + "=");
    if (at == std::string::npos)
        return {};
    const auto start = at + name.size() + 1;
    return form.substr(start, form.find('&', start) - start);
}

TEST(OAuth2, WritesTheFormOfEachMethodAndGrant)
{
    auto post = client_credentials();
    post.auth = policy::ClientSecretPost{};
    EXPECT_EQ(body_of(post, {{"client_secret", "p&q=r"}}),
              "grant_type=client_credentials&scope=read+write&client_id=agent&client_secret=p%26q%3Dr");

    auto refresh = client_credentials();
    refresh.auth = policy::NoClientAuth{};
    refresh.grant = policy::RefreshTokenGrant{};
    EXPECT_EQ(body_of(refresh, {{"refresh_token", "rt-0123456789\r\n"}}),
              "grant_type=refresh_token&refresh_token=rt-0123456789&scope=read+write&client_id=agent");

    auto exchange = refresh;
    exchange.grant = policy::TokenExchangeGrant{
        {}, "urn:ietf:params:oauth:token-type:access_token", policy::FileSource{}, "urn:a", "urn:r"};
    EXPECT_EQ(body_of(exchange, {{"subject_token", "st-0123456789"}, {"actor_token", "ac-0123456789"}}),
              "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange&subject_token=st-0123456789"
              "&subject_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Aaccess_token"
              "&actor_token=ac-0123456789&actor_token_type=urn%3Aa&requested_token_type=urn%3Ar"
              "&scope=read+write&client_id=agent");
}

TEST(OAuth2, SignsAnAssertionForTheClient)
{
    const auto pem = pem_of_new_key();
    auto source = client_credentials();
    source.auth = policy::PrivateKeyJwt{{{}, policy::SignatureAlgorithm::es256, "key-1"}, {}};
    const auto body = body_of(source, {{"client_key", pem}});
    EXPECT_THAT(body, HasSubstr("client_id=agent&client_assertion_type="
                                "urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer&client_assertion="));
    const auto statement = taken_apart(form_value(body, "client_assertion"));
    EXPECT_EQ(statement.header, R"({"alg":"ES256","typ":"JWT","kid":"key-1"})");
    EXPECT_EQ(statement.payload, R"({"iss":"agent","sub":"agent","aud":"https://idp.example.com/token",)"
                                 R"("iat":1772366370,"exp":1772366460,"jti":"AAECAwQFBgcICQoLDA0ODw"})");
    EXPECT_TRUE(verified_es256(pem, statement.signed_text, statement.signature));
}

TEST(OAuth2, SignsAnAssertionAsTheGrant)
{
    const auto pem = pem_of_new_key();
    auto source = client_credentials();
    source.auth = policy::NoClientAuth{};
    source.grant = policy::JwtBearerGrant{{{}, policy::SignatureAlgorithm::es256, {}},
                                          {{"iss", {"me"}}, {"sub", {"you"}}, {"aud", {"them"}}}};
    const auto body = body_of(source, {{"assertion_key", pem}});
    EXPECT_THAT(body, HasSubstr("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion="));
    const auto statement = taken_apart(form_value(body, "assertion"));
    EXPECT_EQ(statement.payload, R"({"iss":"me","sub":"you","aud":"them","iat":1772366370,"exp":1772366460,)"
                                 R"("jti":"AAECAwQFBgcICQoLDA0ODw"})");
    EXPECT_TRUE(verified_es256(pem, statement.signed_text, statement.signature));
}

TEST(OAuth2, EachAttemptHasAnAssertionOfItsOwn)
{
    const World world;
    auto source = client_credentials();
    source.auth = policy::PrivateKeyJwt{};
    const auto issuer = issuer_of(source, {{"client_key", pem_of_new_key()}});
    std::set<std::string> payloads;
    for (int i = 0; i < 3; ++i) {
        const auto call = step_of<Call>(issuer->begin(world.context()));
        payloads.insert(taken_apart(form_value(std::string(call.body.reveal()), "client_assertion")).payload);
    }
    EXPECT_EQ(payloads.size(), 3U);
}

TEST(OAuth2, HandsTheCertificateToTheCarrier)
{
    auto source = client_credentials();
    source.auth = policy::TlsClientAuth{};
    const World world;
    const auto issuer = issuer_of(source, {{"client_certificate", "CERTIFICATE\n"}, {"client_key", "KEY\n"}});
    EXPECT_EQ(text_of(step_of<Call>(issuer->begin(world.context()))),
              "POST https://idp.example.com:443/token\n"
              "Accept: application/json\n"
              "Content-Type: application/x-www-form-urlencoded\n"
              "(identity CERTIFICATE\n,KEY\n)\n"
              "grant_type=client_credentials&scope=read+write&client_id=agent");
}

TEST(OAuth2, InputsThatAreMissingOrUnusableAreNamed)
{
    const auto said = [](const Inputs& inputs) {
        const auto made = make_issuer(client_credentials(), inputs.view());
        return made ? std::string("(made)") : made.error().message;
    };
    EXPECT_EQ(said({}), "its `client_secret` was not handed over");
    EXPECT_EQ(said({{"client_secret", ""}}), "its `client_secret` is empty or longer than 64 KiB");
    EXPECT_EQ(said({{"client_secret", "hunter2\nhunter2"}}),
              "its `client_secret` holds a space, a line end or another invisible character");
    auto source = client_credentials();
    source.auth = policy::PrivateKeyJwt{};
    const auto made = make_issuer(source, Inputs{{"client_key", "no key"}}.view());
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().message, "its `client_key`: it holds no unencrypted private key in PEM form");
}

struct BadAnswer {
    std::string sentence;
    std::uint16_t status;
    std::string body;
    std::string says;
    Denied::Kind kind = Denied::Kind::permanent;
};

std::string token_answer(const std::string& rest, const std::string& token = "at-0123456789")
{
    return R"({"access_token":")" + token + R"(","token_type":"Bearer","scope":"read write")" + rest + "}";
}

TEST(OAuth2, BelievesNoAnswerThatIsNotWhatWasAskedFor)
{
    const std::string is = "the token endpoint idp.example.com";
    const std::string lies = is + ": its `expires_in` is no number of seconds to come";
    const std::string odd = is + ": its `access_token` holds a space, a control character or a byte outside ASCII";
    const std::vector<BadAnswer> cases{
        {"a redirect", 302, "{}", is + " answers with a redirect (status 302), which is never followed"},
        {"a refusal", 401, R"({"error":"invalid_client"})", is + " refuses: invalid_client (status 401)"},
        {"a refusal that repeats the secret", 400, R"({"error":"hunter2hunter2","error_description":"hunter2hunter2"})",
         is + " refuses (status 400)"},
        {"an error page", 404, "<html>", is + " refuses (status 404)"},
        {"overload", 503, "{}", is + " refuses (status 503)", Denied::Kind::transient},
        {"too many calls", 429, "{}", is + " refuses (status 429)", Denied::Kind::transient},
        {"a 500 that says that the grant is void", 500, R"({"error":"invalid_grant"})",
         is + " refuses: invalid_grant (status 500)"},
        {"success without content", 204, "", is + " refuses (status 204)"},
        {"an empty body", 200, "", is + " answers with something that is no JSON object"},
        {"garbage", 200, "\x01\x02", is + " answers with something that is no JSON object"},
        {"a list", 200, "[]", is + " answers with something that is no JSON object"},
        {"two objects", 200, "{}{}", is + " answers with something that is no JSON object"},
        {"more than 64 KiB", 200, std::string(64 * 1024 + 1, ' '), is + " answers with more than 64 KiB"},
        {"no type", 200, R"({"access_token":"at-0123456789"})", is + " gives a token of another type than Bearer"},
        {"another type", 200, R"({"access_token":"at-0123456789","token_type":"mac"})",
         is + " gives a token of another type than Bearer"},
        {"no token", 200, R"({"token_type":"Bearer","scope":"read write"})",
         is + ": its `access_token` is missing or no text"},
        {"a token that is a number", 200, R"({"access_token":7,"token_type":"Bearer","scope":"read write"})",
         is + ": its `access_token` is missing or no text"},
        {"a line end in the token", 200, token_answer("", R"(at-0123456789\r\nX: y)"), odd},
        {"a space in the token", 200, token_answer("", "at 0123456789"), odd},
        {"a NUL in the token", 200, token_answer("", R"(at-0123\u0000456789)"), odd},
        {"a token outside ASCII", 200, token_answer("", "at-0123456789\xc3\xa9"), odd},
        {"a short token", 200, token_answer("", "at-0123"),
         is + ": its `access_token` has 7 bytes; 8 to 8192 are possible"},
        {"a long token", 200, token_answer("", std::string(8193, 'a')),
         is + ": its `access_token` has 8193 bytes; 8 to 8192 are possible"},
        {"a token that has expired", 200, token_answer(R"(,"expires_in":0)"), lies},
        {"a negative lifetime", 200, token_answer(R"(,"expires_in":-5)"), lies},
        {"a lifetime in words", 200, token_answer(R"(,"expires_in":"soon")"), lies},
        {"a lifetime beyond all numbers", 200, token_answer(R"(,"expires_in":1e300)"), lies},
        {"a lifetime that is a list", 200, token_answer(R"(,"expires_in":[600])"), lies},
    };
    for (const auto& test : cases) {
        SCOPED_TRACE(test.sentence);
        const auto denied =
            step_of<Denied>(answered(client_credentials(), basic_inputs(), answer(test.status, test.body)));
        EXPECT_EQ(denied.detail, test.says);
        EXPECT_EQ(denied.kind, test.kind);
        EXPECT_FALSE(denied.remedy.empty());
        EXPECT_EQ((denied.detail + denied.remedy).find("hunter2"), std::string::npos);
    }
}

TEST(OAuth2, WantsJsonThatIsDeclaredAsJson)
{
    for (const std::string type : {"application/json", "application/JSON; charset=utf-8", "application/json ;x"})
        (void)step_of<Issued>(answered(client_credentials(), basic_inputs(), answer(200, good, type)));
    for (const std::string type : {"", "text/html", "text/json", "application/jsonp", "application/json, text/html"}) {
        const auto denied = step_of<Denied>(answered(client_credentials(), basic_inputs(), answer(200, good, type)));
        EXPECT_EQ(denied.detail,
                  "the token endpoint idp.example.com answers with something that is not declared as JSON");
    }
    auto twice = answer(200, good);
    twice.fields.push_back({"content-type", "text/html"});
    (void)step_of<Denied>(answered(client_credentials(), basic_inputs(), twice));
}

TEST(OAuth2, TakesALifetimeHoweverServersWriteIt)
{
    struct Case {
        std::string rest;
        std::optional<std::chrono::seconds> lifetime;
    };
    const std::vector<Case> cases{{"", std::nullopt},
                                  {R"(,"expires_in":null)", std::nullopt},
                                  {R"(,"expires_in":3600)", 3600s},
                                  {R"(,"expires_in":"3600")", 3600s},
                                  {R"(,"expires_in":59.9)", 59s},
                                  {R"(,"expires_in":999999999999)", 24h}};
    for (const auto& test : cases) {
        SCOPED_TRACE(test.rest);
        const auto issued =
            step_of<Issued>(answered(client_credentials(), basic_inputs(), answer(200, token_answer(test.rest))));
        EXPECT_EQ(issued.lifetime, test.lifetime);
    }
}

TEST(OAuth2, ComparesTheScopeWithWhatWasAskedFor)
{
    using enum policy::GrantedScope;
    struct Case {
        std::string sentence;
        policy::GrantedScope mode;
        std::string scope; ///< as JSON; empty: not said
        std::string says;  ///< empty: believed
    };
    const std::string wider = "a wider scope than was asked for";
    const std::string none = "no scope, or does not say which";
    const std::string narrower_said = "a narrower scope than was asked for";
    const std::vector<Case> cases{
        {"the same in another order", exact, R"("write  read")", ""},
        {"one more", exact, R"("read write admin")", wider},
        {"another", exact, R"("admin")", wider},
        {"one less", exact, R"("read")", narrower_said},
        {"nothing said", exact, "", none},
        {"an empty text", exact, R"("")", none},
        {"no text", exact, "7", none},
        {"one less where that is fine", narrower, R"("read")", ""},
        {"one more where less is fine", narrower, R"("read admin")", wider},
        {"nothing where less is fine", narrower, R"("")", none},
        {"nothing said where less is fine", narrower, "", none},
        {"nothing said where that is fine", unstated, "", ""},
        {"one less where nothing may be said", unstated, R"("read")", narrower_said},
        {"one more where nothing may be said", unstated, R"("read write x")", wider},
    };
    for (const auto& test : cases) {
        SCOPED_TRACE(test.sentence);
        auto source = client_credentials();
        source.require_granted_scope = test.mode;
        const auto scope = test.scope.empty() ? std::string() : R"(,"scope":)" + test.scope;
        auto step = answered(source, basic_inputs(),
                             answer(200, R"({"access_token":"at-0123456789","token_type":"bearer")" + scope + "}"));
        if (test.says.empty())
            (void)step_of<Issued>(std::move(step));
        else
            EXPECT_EQ(step_of<Denied>(std::move(step)).detail,
                      "the token endpoint idp.example.com grants " + test.says);
    }
}

TEST(OAuth2, RefusesAnIssuerWhoseClockIsFarAway)
{
    auto late = answer(200, good);
    late.fields.push_back({"date", "Sun, 01 Mar 2026 12:05:01 GMT"});
    const auto denied = step_of<Denied>(answered(client_credentials(), basic_inputs(), late));
    EXPECT_EQ(denied.detail, "the clock of the token endpoint idp.example.com is 301 s away from this machine's: no "
                             "expiry can be believed");
    auto near = answer(200, good);
    near.fields.push_back({"date", "Sun, 01 Mar 2026 11:55:00 GMT"});
    (void)step_of<Issued>(answered(client_credentials(), basic_inputs(), near));
}

TEST(OAuth2, WaitsAsLongAsTheServerAsks)
{
    const auto waits = [](const std::string& value) {
        auto busy = answer(503, "{}");
        busy.fields.push_back({"retry-after", value});
        return step_of<Denied>(answered(client_credentials(), basic_inputs(), busy)).retry_after;
    };
    EXPECT_EQ(waits("7"), 7s);
    EXPECT_EQ(waits("99999999"), 1h);
    EXPECT_EQ(waits("Sun, 01 Mar 2026 12:00:30 GMT"), 30s);
    EXPECT_EQ(waits("Sun, 01 Mar 2026 11:00:30 GMT"), std::nullopt);
    EXPECT_EQ(waits("-7"), std::nullopt);
    EXPECT_EQ(waits("soon"), std::nullopt);
}

TEST(OAuth2, TellsARotatedRefreshTokenAndUsesItOnceItIsStored)
{
    const World world;
    auto source = client_credentials();
    source.auth = policy::NoClientAuth{};
    source.grant = policy::RefreshTokenGrant{};
    const auto issuer = issuer_of(source, {{"refresh_token", "rt-0123456789"}});
    (void)step_of<Call>(issuer->begin(world.context()));
    auto issued = step_of<Issued>(
        issuer->resume(answer(200, token_answer(R"(,"refresh_token":"rt-next-0123456789")")), world.context()));
    ASSERT_TRUE(issued.refresh_token);
    const auto before = step_of<Call>(issuer->begin(world.context()));
    EXPECT_EQ(form_value(std::string(before.body.reveal()), "refresh_token"), "rt-0123456789");
    issuer->use_refresh_token(std::move(*issued.refresh_token));
    const auto after = step_of<Call>(issuer->begin(world.context()));
    EXPECT_EQ(form_value(std::string(after.body.reveal()), "refresh_token"), "rt-next-0123456789");

    const auto same = step_of<Issued>(
        issuer->resume(answer(200, token_answer(R"(,"refresh_token":"rt-next-0123456789")")), world.context()));
    EXPECT_FALSE(same.refresh_token);
    const auto bad =
        step_of<Denied>(issuer->resume(answer(200, token_answer(R"(,"refresh_token":"a b")")), world.context()));
    EXPECT_THAT(bad.detail, HasSubstr("`refresh_token`"));
}

TEST(OAuth2, WantsTheTypeOfTokenThatAnExchangeAskedFor)
{
    auto source = client_credentials();
    source.auth = policy::NoClientAuth{};
    source.scope = {};
    const Inputs inputs{{"subject_token", "st-0123456789"}};
    const auto exchanged = [&](const std::string& asked, const std::string& rest) {
        source.grant = policy::TokenExchangeGrant{{}, "urn:s", {}, {}, asked};
        return answered(source, inputs, answer(200, R"({"access_token":"at-0123456789")" + rest + "}"));
    };
    const std::string bearer = R"(,"token_type":"Bearer")";
    const std::string access = R"(,"issued_token_type":"urn:ietf:params:oauth:token-type:access_token")";
    (void)step_of<Issued>(exchanged("", bearer + access));
    (void)step_of<Issued>(exchanged("urn:r", bearer + R"(,"issued_token_type":"urn:r")"));
    (void)step_of<Denied>(exchanged("urn:r", bearer + access));
    (void)step_of<Denied>(exchanged("", bearer));
    (void)step_of<Denied>(
        exchanged("", bearer + R"(,"issued_token_type":"urn:ietf:params:oauth:token-type:refresh_token")"));
    // RFC 8693 section 2.2.1: what is no access token is said to be N_A, and cannot be injected.
    (void)step_of<Denied>(exchanged("", R"(,"token_type":"N_A")" + access));
}

TEST(OAuth2, BindsTokensToAKeyOfItsOwn)
{
    const World world;
    auto source = client_credentials();
    source.dpop = true;
    const auto issuer = issuer_of(source, basic_inputs());
    const auto proof_of = [](const Call& call) {
        return call.fields.back().name == "DPoP" ? taken_apart(call.fields.back().value.reveal()) : Statement{};
    };
    const auto first = proof_of(step_of<Call>(issuer->begin(world.context())));
    EXPECT_EQ(first.payload, R"({"jti":"AAECAwQFBgcICQoLDA0ODw","htm":"POST","htu":"https://idp.example.com/token",)"
                             R"("iat":1772366400})");

    auto demand = answer(400, R"({"error":"use_dpop_nonce"})");
    demand.fields.push_back({"dpop-nonce", "n-1"});
    const auto second = proof_of(step_of<Call>(issuer->resume(demand, world.context())));
    EXPECT_THAT(second.payload, HasSubstr(R"("nonce":"n-1")"));
    EXPECT_EQ(second.header, first.header);
    // Asked for again and again, it gives up.
    EXPECT_EQ(step_of<Denied>(issuer->resume(demand, world.context())).detail,
              "the token endpoint idp.example.com refuses: use_dpop_nonce (status 400)");

    // The next dialogue begins with the nonce that was told last.
    EXPECT_THAT(proof_of(step_of<Call>(issuer->begin(world.context()))).payload, HasSubstr(R"("nonce":"n-1")"));
    auto issued = step_of<Issued>(issuer->resume(
        answer(200, R"({"access_token":"at-0123456789","token_type":"DPoP","scope":"read write"})"), world.context()));
    const auto* token = std::get_if<DpopToken>(&issued.value);
    ASSERT_NE(token, nullptr);
    EXPECT_EQ(token->token.reveal(), "at-0123456789");
    EXPECT_TRUE(verified_es256(token->key.reveal(), first.signed_text, first.signature));
}

TEST(OAuth2, RefusesABearerTokenWhereABoundOneWasAskedFor)
{
    auto source = client_credentials();
    source.dpop = true;
    EXPECT_EQ(step_of<Denied>(answered(source, basic_inputs(), answer(200, good))).detail,
              "the token endpoint idp.example.com gives a token of another type than DPoP");
}

TEST(OAuth2, IgnoresNoncesThatNobodyCanSend)
{
    auto source = client_credentials();
    source.dpop = true;
    for (const std::string nonce : {"", "a b", "a\"b", "a\\b", "a\r\nb"}) {
        auto demand = answer(400, R"({"error":"use_dpop_nonce"})");
        demand.fields.push_back({"dpop-nonce", nonce});
        (void)step_of<Denied>(answered(source, basic_inputs(), demand));
    }
}

TEST(OAuth2, RevokesWhereTheServerCan)
{
    const World world;
    auto source = client_credentials();
    const CredentialValue token = Secret::copy_of("at-0123456789");
    EXPECT_FALSE(issuer_of(source, basic_inputs())->revoke(token, world.context()));
    source.revoke_url = url("https://idp.example.com/revoke?x=1");
    const auto call = issuer_of(source, basic_inputs())->revoke(token, world.context());
    ASSERT_TRUE(call);
    EXPECT_EQ(text_of(*call), "POST https://idp.example.com:443/revoke?x=1\n"
                              "Accept: application/json\n"
                              "Content-Type: application/x-www-form-urlencoded\n"
                              "Authorization: Basic YWdlbnQ6aHVudGVyMmh1bnRlcjI=\n"
                              "token=at-0123456789&token_type_hint=access_token");
}

} // namespace
} // namespace aduana::broker
