// SPDX-License-Identifier: Apache-2.0
// One dialogue with an issuer, on stdin and stdout, for tests that carry the calls to a real server themselves.
//
//   issuer_dialogue CREDENTIALS.yaml NAME
//   out  {"call": {...}} | {"issued": {...}} | {"denied": {...}}      in  {"status", "fields", "body"}
//        then, if the source can take it back, {"call": {...}} once more; its answer ends the program
#include "broker/mint/json.hpp"
#include "broker/mint/make_issuer.hpp"
#include "policy/load/load.hpp"

#include <openssl/rand.h>

#include <fstream>
#include <iostream>
#include <iterator>

using namespace aduana;
using namespace aduana::broker;

namespace {

std::string contents_of(const std::string& path)
{
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string text(std::string_view value)
{
    SecretWriter out;
    put_json_text(out, value);
    return std::string(out.view());
}

void say(const Call& call)
{
    std::string fields;
    for (const auto& field : call.fields)
        fields += (fields.empty() ? "[" : ",[") + text(field.name) + "," + text(field.value.reveal()) + "]";
    std::cout << R"({"call":{"method":)" << text(call.method) << R"(,"host":)" << text(call.endpoint.host.text())
              << R"(,"port":)" << call.endpoint.port << R"(,"target":)" << text(call.endpoint.target)
              << R"(,"fields":[)" << fields << R"(],"body":)" << text(call.body.reveal()) << R"(,"certificate":)"
              << text(call.identity ? call.identity->certificate.reveal() : "") << R"(,"key":)"
              << text(call.identity ? call.identity->key.reveal() : "") << "}}" << std::endl;
}

std::string token_of(const CredentialValue& value)
{
    if (const auto* plain = std::get_if<Secret>(&value))
        return std::string(plain->reveal());
    if (const auto* bound = std::get_if<DpopToken>(&value))
        return std::string(bound->token.reveal());
    return std::get<AwsKeys>(value).access_key_id;
}

void say(const Issued& issued)
{
    std::cout << R"({"issued":{"token":)" << text(token_of(issued.value)) << R"(,"lifetime":)"
              << (issued.lifetime ? std::to_string(issued.lifetime->count()) : "null") << R"(,"refresh_token":)"
              << text(issued.refresh_token ? issued.refresh_token->reveal() : "") << "}}" << std::endl;
}

void say(const Denied& denied)
{
    std::cout << R"({"denied":{"detail":)" << text(denied.detail) << R"(,"transient":)"
              << (denied.kind == Denied::Kind::transient ? "true" : "false") << "}}" << std::endl;
}

Answer read_answer()
{
    std::string line;
    std::getline(std::cin, line);
    const auto json = Json::parse(line);
    Answer answer;
    const auto root = json ? json->root() : JsonValue();
    answer.status = static_cast<std::uint16_t>(root["status"].number().value_or(0));
    for (const auto& [name, value] : root["fields"].members())
        answer.fields.push_back({std::string(name), std::string(value.text().value_or(""))});
    answer.body = Secret::copy_of(root["body"].text().value_or(""));
    return answer;
}

int talk(Issuer& issuer)
{
    const Random random = [](std::span<std::uint8_t> bytes) {
        RAND_bytes(bytes.data(), static_cast<int>(bytes.size()));
    };
    const auto context = [&] { return MintContext{std::chrono::system_clock::now(), random, "dialogue"}; };
    auto step = issuer.begin(context());
    while (const auto* call = std::get_if<Call>(&step)) {
        say(*call);
        step = issuer.resume(read_answer(), context());
    }
    if (const auto* denied = std::get_if<Denied>(&step))
        say(*denied);
    const auto* issued = std::get_if<Issued>(&step);
    if (!issued)
        return 1;
    say(*issued);
    if (const auto revocation = issuer.revoke(issued->value, context())) {
        say(*revocation);
        (void)read_answer();
    }
    return 0;
}

} // namespace

int main(int count, char** arguments)
{
    if (count != 3)
        return 2;
    const auto credentials = policy::load_credentials(contents_of(arguments[1]), arguments[1]);
    if (!credentials) {
        std::cerr << policy::to_text(credentials.error());
        return 2;
    }
    for (const auto& credential : *credentials) {
        if (credential.name != arguments[2])
            continue;
        std::map<std::string, Secret> values;
        SecretInputs inputs;
        for (const auto& [part, reference] : policy::secret_parts(credential.source)) {
            const auto& path = std::get<policy::FileSource>(reference).path;
            const auto& value = values.emplace(part, Secret::copy_of(contents_of(path))).first->second;
            inputs.emplace(part, &value);
        }
        auto issuer = make_issuer(credential.source, inputs);
        if (issuer)
            return talk(**issuer);
        std::cerr << describe(issuer.error()) << "\n";
    }
    return 2;
}
