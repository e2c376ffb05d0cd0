// SPDX-License-Identifier: Apache-2.0
// Answers of issuers: whatever they say, what is issued can be injected and has an end in sight, calls go to the
// declared host alone, and no message repeats a secret or what the issuer wrote.
//
//   input: kind of source, then answers, each STATUS (2 bytes), then fields "name: value\n", "\n", body, "\0"
#include "broker/mint/make_issuer.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

using namespace aduana;
using namespace aduana::broker;

namespace {

constexpr std::string_view planted = "hunter2hunter2hunter2";
constexpr std::string_view pinned = "issuer.example.com";
constexpr int most_answers = 4;

void require(bool holds)
{
    if (!holds)
        std::abort();
}

policy::HttpsUrl url()
{
    return *policy::HttpsUrl::parse("https://issuer.example.com/path");
}

policy::CredentialSource source_of(std::uint8_t kind)
{
    policy::OAuth2Source oauth2{url(), "agent", policy::ClientSecretPost{}, policy::ClientCredentialsGrant{}, {"read"},
                                {},    {}};
    switch (kind % 7) {
    case 0:
        return oauth2;
    case 1:
        oauth2.grant = policy::RefreshTokenGrant{};
        oauth2.require_granted_scope = policy::GrantedScope::unstated;
        return oauth2;
    case 2:
        oauth2.grant = policy::TokenExchangeGrant{{}, "urn:a", {}, {}, {}};
        oauth2.dpop = true;
        return oauth2;
    case 3:
        return policy::AwsSource(policy::AwsWebIdentity{
            {}, {"arn:aws:iam::1:role/a", {}, std::chrono::minutes(15), {}, {}, "eu-west-1", url()}});
    case 4:
        return policy::VaultSource{url(), {}, policy::VaultAppRole{"role", {}}, policy::VaultKv{"a", "b", "c"}};
    case 5:
        return policy::VaultSource{url(), {}, policy::VaultToken{}, policy::VaultDynamic{"a/b", "c"}};
    default:
        return policy::RegistrySource{url(), "service", {"repository:a:pull"}, "user", policy::FileSource{}};
    }
}

std::string_view take_until(std::string_view& input, char end)
{
    const auto part = input.substr(0, input.find(end));
    input.remove_prefix(std::min(part.size() + 1, input.size()));
    return part;
}

Answer next_answer(std::string_view& input)
{
    Answer answer;
    auto text = take_until(input, '\0');
    for (int i = 0; i < 2 && !text.empty(); ++i, text.remove_prefix(1))
        answer.status = static_cast<std::uint16_t>(answer.status << 8 | static_cast<std::uint8_t>(text.front()));
    while (!text.empty()) {
        auto line = take_until(text, '\n');
        if (line.empty())
            break;
        const auto name = take_until(line, ':');
        line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
        answer.fields.push_back({std::string(name), std::string(line)});
    }
    answer.body = Secret::copy_of(text);
    return answer;
}

void check_value(const Secret& value)
{
    const auto bytes = value.reveal();
    require(bytes.size() >= 8 && bytes.size() <= 8192 &&
            std::ranges::all_of(bytes, [](char c) { return c >= 0x21 && c <= 0x7e; }));
}

void check(const Issued& issued)
{
    if (const auto* token = std::get_if<Secret>(&issued.value))
        check_value(*token);
    if (const auto* bound = std::get_if<DpopToken>(&issued.value))
        check_value(bound->token);
    if (const auto* keys = std::get_if<AwsKeys>(&issued.value))
        check_value(keys->session_token);
    if (issued.refresh_token)
        check_value(*issued.refresh_token);
    using namespace std::chrono_literals;
    require(!issued.lifetime || (*issued.lifetime > 0s && *issued.lifetime <= 24h));
}

void check(const Denied& denied, const Answer& answer)
{
    const auto said = denied.detail + denied.remedy;
    require(!denied.detail.empty() && said.find(planted) == said.npos);
    require(std::ranges::all_of(said, [](char c) { return c >= 0x20 && c <= 0x7e; }));
    // A piece of the body that no text of ours holds.
    const auto marker = answer.body.reveal().find("ISSUER-WROTE-THIS");
    require(marker == std::string_view::npos || said.find("ISSUER-WROTE-THIS") == said.npos);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size == 0)
        return 0;
    std::string_view input(reinterpret_cast<const char*>(data + 1), size - 1);
    const auto secret = Secret::copy_of(planted);
    const auto source = source_of(data[0]);
    SecretInputs inputs;
    for (const auto& part : policy::secret_parts(source))
        inputs.emplace(part.part, &secret);
    const auto issuer = make_issuer(source, inputs);
    require(issuer.has_value());
    const Random random = [](std::span<std::uint8_t> bytes) { std::ranges::fill(bytes, std::uint8_t{7}); };
    const MintContext context{std::chrono::system_clock::time_point(std::chrono::seconds(1772366400)), random, "task"};
    auto step = (*issuer)->begin(context);
    for (int i = 0; i < most_answers; ++i) {
        const auto* call = std::get_if<Call>(&step);
        if (!call)
            return 0;
        require(call->endpoint.host.text() == pinned && call->endpoint.port == 443);
        const auto answer = next_answer(input);
        step = (*issuer)->resume(answer, context);
        if (const auto* denied = std::get_if<Denied>(&step))
            check(*denied, answer);
        if (const auto* issued = std::get_if<Issued>(&step)) {
            check(*issued);
            const auto revocation = (*issuer)->revoke(issued->value, context);
            require(!revocation || revocation->endpoint.host.text() == pinned);
        }
    }
    // No dialogue goes on for ever.
    require(!std::holds_alternative<Call>(step));
    return 0;
}
