// SPDX-License-Identifier: Apache-2.0
// The two places where the SDKs of AWS look for a key.
#include "proxy/core/metadata_services.hpp"

#include "certs/digest.hpp"

#include <array>
#include <charconv>
#include <cstdio>

namespace aduana::proxy {

namespace {

constexpr std::string_view role = "aduana";
constexpr std::string_view ttl_field = "X-aws-ec2-metadata-token-ttl-seconds";
constexpr unsigned longest_ttl = 21600;

/// "2026-03-01T12:00:00Z"
std::string written(std::chrono::sys_seconds time)
{
    const auto day = std::chrono::floor<std::chrono::days>(time);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss clock(time - day);
    std::array<char, 40> text{};
    const auto size = std::snprintf(
        text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02dZ", static_cast<int>(date.year()),
        static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), static_cast<int>(clock.hours().count()),
        static_cast<int>(clock.minutes().count()), static_cast<int>(clock.seconds().count()));
    return {text.data(), static_cast<std::size_t>(size)};
}

void add_key(boost::json::object& into, const MetadataBinding& binding, std::chrono::sys_seconds now)
{
    into["AccessKeyId"] = binding.values.at(0);
    into["SecretAccessKey"] = binding.values.at(1);
    into["Token"] = binding.values.at(2);
    into["Expiration"] = written(now + metadata_validity);
}

MetadataAnswer ecs_refusal(int status, std::string_view code, std::string_view message)
{
    return json_answer(status, {{"code", code}, {"message", message}});
}

bool is_ttl(std::string_view text)
{
    unsigned seconds = 0;
    const auto* const end = text.data() + text.size();
    const auto [last, error] = std::from_chars(text.data(), end, seconds);
    return error == std::errc() && last == end && seconds >= 1 && seconds <= longest_ttl;
}

/// One token for all who ask: what it opens is no secret, and it shows that they could send a PUT and a field.
MetadataAnswer hand_out_token(const MetadataBinding& binding, const MetadataQuestion& question)
{
    const auto ttl = only_value(question.fields, ttl_field);
    if (!ttl || !is_ttl(*ttl))
        return plain_answer(400, "X-aws-ec2-metadata-token-ttl-seconds must be from 1 to 21600\n");
    auto answer = plain_answer(200, binding.token);
    answer.head.fields.add(ttl_field, *ttl);
    return answer;
}

MetadataAnswer role_credentials(const MetadataBinding& binding, const MetadataQuestion& question)
{
    boost::json::object body{{"Code", "Success"}, {"LastUpdated", written(question.now)}, {"Type", "AWS-HMAC"}};
    add_key(body, binding, question.now);
    return json_answer(200, body);
}

} // namespace

MetadataAnswer ask_ecs(const MetadataBinding& binding, const MetadataQuestion& question)
{
    if (is_forwarded(question))
        return ecs_refusal(403, "Forbidden", "a request that was passed on is not answered");
    const auto shown = only_value(question.fields, "Authorization");
    if (!shown)
        return ecs_refusal(401, "Unauthorized", "Authorization must be what AWS_CONTAINER_AUTHORIZATION_TOKEN holds");
    if (!certs::same_secret(*shown, binding.token))
        return ecs_refusal(403, "AccessDenied", "Authorization is not what AWS_CONTAINER_AUTHORIZATION_TOKEN holds");
    if (question.method != "GET" || question.path != policy::container_credentials_path)
        return ecs_refusal(404, "NotFound", "there is nothing but credentials here");
    boost::json::object body;
    add_key(body, binding, question.now);
    return json_answer(200, body);
}

MetadataAnswer ask_imds(const MetadataBinding& binding, const MetadataQuestion& question)
{
    constexpr std::string_view roles = "/latest/meta-data/iam/security-credentials";
    if (is_forwarded(question))
        return plain_answer(403, "a request that was passed on is not answered\n");
    if (question.method == "PUT" && question.path == "/latest/api/token")
        return hand_out_token(binding, question);
    const auto shown = only_value(question.fields, "X-aws-ec2-metadata-token");
    if (!shown || !certs::same_secret(*shown, binding.token))
        return plain_answer(401, "X-aws-ec2-metadata-token must be a token of PUT /latest/api/token\n");
    const auto path = question.method == "GET" ? without_last_slash(question.path) : std::string_view();
    if (path == roles)
        return plain_answer(200, role);
    if (path == std::string(roles) + "/" + std::string(role))
        return role_credentials(binding, question);
    if (path == "/latest/meta-data/placement/region" && !binding.region.empty())
        return plain_answer(200, binding.region);
    return plain_answer(404, "there is nothing but credentials here\n");
}

} // namespace aduana::proxy
