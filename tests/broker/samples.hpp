// SPDX-License-Identifier: Apache-2.0
// A credentials file, a policy that fits it, requests, and a generator that counts: what the broker's tests share.
#pragma once

#include "broker/core/broker.hpp"

#include <gtest/gtest.h>

namespace aduana::broker::samples {

inline constexpr std::string_view issues_value = "issues-value-9f3a77c1";
inline constexpr std::string_view npm_value = "npm-value-51c0d2e8aa";

inline constexpr std::string_view credentials_text = R"(version: 1
credentials:
  issues-api:
    source: {file: /etc/aduana/secrets/issues}
    destinations: [{hosts: [api.example.com], methods: [GET, POST], paths: ["/v1/**"]}]
    inject: {bearer: {}}
    lease: {ttl: 15m, uses: 3}
    placeholder: {env: [ISSUES_TOKEN, ISSUES_KEY], prefix: "iss_"}
  npm:
    source: {env: NPM_SECRET}
    destinations: [{hosts: [npm.example.com], ports: [443, 8443]}]
    inject: {basic: {user: reader}}
    placeholder: {env: [NPM_TOKEN]}
  unused:
    source: {file: /etc/aduana/secrets/unused}
    destinations: [{hosts: [other.example.com]}]
    inject: {header: {name: X-Api-Key, format: "{}"}}
    placeholder: {env: [UNUSED_TOKEN]}
)";

inline constexpr std::string_view policy_text = R"(version: 1
allow:
  - name: issues
    hosts: [api.example.com]
    methods: [GET, POST]
    paths: ["/v1/**"]
    credential: issues-api
  - name: packages
    hosts: [npm.example.com]
    ports: [443]
    credential: npm
deny:
  - {name: no-admin, hosts: [api.example.com], paths: ["/v1/admin/**"]}
)";

/// 0, 1, 2, ... so that every id of a test differs and can be foreseen.
inline Random counting_random()
{
    return [next = std::uint8_t{0}](std::span<std::uint8_t> bytes) mutable {
        for (auto& byte : bytes)
            byte = next++;
    };
}

inline TaskOpen task_open()
{
    TaskOpen request;
    request.task = "demo";
    request.credentials_file = "credentials.yaml";
    request.policy_file = "policy.yaml";
    request.file_sources = {"issues-api"};
    request.environment.push_back({"NPM_SECRET", Secret::copy_of(npm_value)});
    return request;
}

inline Material material()
{
    Material material{std::string(credentials_text), std::string(policy_text), {}};
    material.files.push_back(Secret::copy_of(issues_value));
    return material;
}

inline Acquire issues_request(std::string handle)
{
    return {std::move(handle), "issues-api", "api.example.com", 443, "api.example.com", "GET", "/v1/issues", ""};
}

/// The wanted alternative of a reply; fails the test if it is another.
template <class T>
T reply_of(Outcome outcome)
{
    EXPECT_FALSE(outcome.breach.has_value());
    if (outcome.replies.size() != 1 || !std::holds_alternative<T>(outcome.replies[0].message)) {
        ADD_FAILURE() << "another reply than the wanted one";
        return {};
    }
    return std::move(std::get<T>(outcome.replies[0].message));
}

} // namespace aduana::broker::samples
