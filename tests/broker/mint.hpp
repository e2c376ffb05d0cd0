// SPDX-License-Identifier: Apache-2.0
// A clock, a generator, keys and answers: what the tests of dialogues share.
#pragma once

#include "broker/mint/make_issuer.hpp"
#include "tests/broker/samples.hpp"

#include <gtest/gtest.h>

namespace aduana::broker::mint {

/// 2026-03-01T12:00:00Z.
inline constexpr std::chrono::system_clock::time_point noon{std::chrono::seconds(1772366400)};

/// The type of the steps is told by what a test asks for.
class World {
public:
    [[nodiscard]] MintContext context() const { return {now, random, "demo"}; }

    std::chrono::system_clock::time_point now = noon;
    Random random = samples::counting_random();
};

inline std::string text_of(const Call& call)
{
    auto text = call.method + " https://" + call.endpoint.host.uri_host() + ":" + std::to_string(call.endpoint.port) +
                call.endpoint.target + "\n";
    for (const auto& field : call.fields)
        text += field.name + ": " + std::string(field.value.reveal()) + "\n";
    if (call.identity)
        text += "(identity " + std::string(call.identity->certificate.reveal()) + "," +
                std::string(call.identity->key.reveal()) + ")\n";
    return text + std::string(call.body.reveal());
}

/// Answers as JSON, unless `type` says otherwise.
inline Answer answer(std::uint16_t status, std::string_view body, std::string type = "application/json")
{
    Answer made;
    made.status = status;
    made.fields.push_back({"content-type", std::move(type)});
    made.body = Secret::copy_of(body);
    return made;
}

template <class T>
T step_of(Step step)
{
    if (auto* wanted = std::get_if<T>(&step))
        return std::move(*wanted);
    const auto* denied = std::get_if<Denied>(&step);
    ADD_FAILURE() << "another step than the wanted one" << (denied ? ": " + denied->detail : std::string());
    return T();
}
template <>
inline Call step_of<Call>(Step step)
{
    if (auto* wanted = std::get_if<Call>(&step))
        return std::move(*wanted);
    const auto* denied = std::get_if<Denied>(&step);
    ADD_FAILURE() << "no call" << (denied ? ": " + denied->detail : std::string());
    return Call{{}, {*policy::Host::parse("none.test"), 0, {}}, {}, {}, {}};
}

/// Owns the inputs of a source, by part.
class Inputs {
public:
    Inputs(std::initializer_list<std::pair<std::string, std::string_view>> parts)
    {
        for (const auto& [part, value] : parts)
            values_.emplace(part, Secret::copy_of(value));
    }
    [[nodiscard]] SecretInputs view() const
    {
        SecretInputs inputs;
        for (const auto& [part, value] : values_)
            inputs.emplace(part, &value);
        return inputs;
    }

private:
    std::map<std::string, Secret> values_;
};

inline std::unique_ptr<Issuer> issuer_of(const policy::CredentialSource& source, const Inputs& inputs)
{
    auto made = make_issuer(source, inputs.view());
    EXPECT_TRUE(made) << describe(made.error());
    return made ? std::move(*made) : nullptr;
}

inline std::string token_of(const Issued& issued)
{
    const auto* token = std::get_if<Secret>(&issued.value);
    return token ? std::string(token->reveal()) : std::string("(no plain token)");
}

inline policy::HttpsUrl url(std::string_view text)
{
    return *policy::HttpsUrl::parse(text);
}

} // namespace aduana::broker::mint
