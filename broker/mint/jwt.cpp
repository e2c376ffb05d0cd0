// SPDX-License-Identifier: Apache-2.0
// Headers and claims, written in one order so that the bytes are known.
#include "broker/mint/jwt.hpp"

#include <array>

namespace aduana::broker {
namespace {

std::string header_of(const Signer& signer)
{
    SecretWriter header;
    header.put(R"({"alg":")").put(name_of(signer.key.algorithm())).put(R"(","typ":"JWT")");
    if (!signer.key_id.empty()) {
        header.put(R"(,"kid":)");
        put_json_text(header, signer.key_id);
    }
    header.put("}");
    return std::string(header.view());
}

void put_claim(SecretWriter& out, const policy::Claim& claim)
{
    put_json_text(out, claim.name);
    out.put(claim.list ? ":[" : ":");
    for (std::size_t i = 0; i < claim.values.size(); ++i) {
        out.put(i == 0 ? "" : ",");
        put_json_text(out, claim.values[i]);
    }
    out.put(claim.list ? "]," : ",");
}

} // namespace

Secret sign_jwt(const Signer& signer, const policy::Claims& claims, const JwtTimes& times, const MintContext& context)
{
    SecretWriter payload;
    payload.put("{");
    for (const auto& claim : claims)
        put_claim(payload, claim);
    const auto now = seconds_of(context.now);
    payload.put(R"("iat":)").put(std::to_string(now - times.back_dated.count()));
    payload.put(R"(,"exp":)").put(std::to_string(now + times.lifetime.count()));
    payload.put(R"(,"jti":")").put(new_token_id(context.random)).put(R"("})");
    return sign_compact(signer.key, header_of(signer), payload.view());
}

std::optional<Json> claims_in(std::string_view token)
{
    const auto first = token.find('.');
    const auto second = first == token.npos ? token.npos : token.find('.', first + 1);
    if (second == token.npos)
        return std::nullopt;
    const auto claims = from_base64url(token.substr(first + 1, second - first - 1));
    auto json = claims ? Json::parse(claims->reveal()) : std::nullopt;
    return json && json->root().is_object() ? std::move(json) : std::nullopt;
}

std::string new_token_id(const Random& random)
{
    std::array<std::uint8_t, 16> bytes{};
    random(bytes);
    SecretWriter id;
    id.put_base64url({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    return std::string(id.view());
}

std::int64_t seconds_of(std::chrono::system_clock::time_point time)
{
    return std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
}

} // namespace aduana::broker
