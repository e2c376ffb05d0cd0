// SPDX-License-Identifier: Apache-2.0
// The command with its environment, and three ways to print a value.
#include "broker/mint/exec.hpp"

#include <algorithm>

namespace aduana::broker {
namespace {

constexpr const char* what_to_print = "see which `output` is declared, and run the program by hand";

} // namespace

ExecIssuer::ExecIssuer(policy::ExecSource source)
    : source_(std::move(source)), party_("program " + source_.command.front())
{
}

Step ExecIssuer::begin(const MintContext& context)
{
    // What the operator sets comes first, and getenv(3) takes the first.
    Run run{source_.command, {}};
    for (const auto& [name, value] : source_.environment)
        run.environment.emplace_back(name).append("=").append(value);
    const auto is_set = [&](std::string_view name) {
        return std::ranges::any_of(source_.environment, [&](const auto& variable) { return variable.first == name; });
    };
    if (!is_set("PATH"))
        run.environment.emplace_back("PATH=/usr/local/bin:/usr/bin:/bin");
    if (!is_set("ADUANA_TASK"))
        run.environment.push_back("ADUANA_TASK=" + context.task);
    return run;
}

Step ExecIssuer::resume(const Answer&, const MintContext&)
{
    return permanent("a program that is run here needs no answer", "");
}

Step ExecIssuer::printed(const Printed& printed, const MintContext& context)
{
    if (!printed.failure.empty())
        return transient("the " + party_ + " " + printed.failure, "run it by hand, as the broker's user, to see why");
    auto issued = read(printed.output.reveal(), context);
    if (!issued)
        return issued.error();
    return std::move(*issued);
}

Checked<Issued> ExecIssuer::read(std::string_view output, const MintContext& context) const
{
    if (source_.output == policy::ExecOutput::line)
        return read_line(output);
    const auto json = Json::parse(output);
    if (!json || !json->root().is_object())
        return permanent("the " + party_ + " prints something else than one JSON object", what_to_print);
    return source_.output == policy::ExecOutput::aws ? read_aws(json->root(), context)
                                                     : read_json(json->root(), context);
}

Checked<Issued> ExecIssuer::read_line(std::string_view output) const
{
    if (output.ends_with('\n'))
        output.remove_suffix(1);
    if (output.ends_with('\r'))
        output.remove_suffix(1);
    const bool visible = std::ranges::all_of(output, [](char c) { return c >= 0x21 && c <= 0x7e; });
    if (output.size() < shortest_token || output.size() > longest_token || !visible)
        return permanent("the " + party_ + " prints something else than one line of 8 to 8192 visible characters",
                         what_to_print);
    Issued issued;
    issued.value = Secret::copy_of(output);
    return issued;
}

Checked<Issued> ExecIssuer::read_json(const JsonValue& object, const MintContext& context) const
{
    auto value = read_token(object, "value", party_);
    if (!value)
        return value.error();
    const auto lifetime = read_lifetime(object, "expires_in", party_);
    if (!lifetime)
        return lifetime.error();
    const auto end = read_end(object, "expires_at", context);
    if (!end)
        return end.error();
    Issued issued;
    issued.value = std::move(*value);
    issued.lifetime = lifetime->has_value() && end->has_value() ? std::min(*lifetime, *end)
                      : lifetime->has_value()                   ? *lifetime
                                                                : *end;
    return issued;
}

Checked<Issued> ExecIssuer::read_aws(const JsonValue& object, const MintContext& context) const
{
    if (object["Version"].number() != 1)
        return permanent("the " + party_ + " prints another version of credentials than 1", what_to_print);
    const auto id = read_token(object, "AccessKeyId", party_);
    if (!id)
        return id.error();
    auto secret = read_token(object, "SecretAccessKey", party_);
    if (!secret)
        return secret.error();
    AwsKeys keys{std::string(id->reveal()), std::move(*secret), {}};
    if (!object["SessionToken"].is_null()) {
        auto token = read_token(object, "SessionToken", party_);
        if (!token)
            return token.error();
        keys.session_token = std::move(*token);
    }
    const auto end = read_end(object, "Expiration", context);
    if (!end)
        return end.error();
    Issued issued;
    issued.value = std::move(keys);
    issued.lifetime = *end;
    return issued;
}

/// Unset where there is no `name`.
Checked<std::optional<std::chrono::seconds>> ExecIssuer::read_end(const JsonValue& object, std::string_view name,
                                                                  const MintContext& context) const
{
    if (object[name].is_null())
        return std::optional<std::chrono::seconds>();
    const auto text = object[name].text();
    const auto lifetime = lifetime_until(text ? read_time(*text) : std::nullopt, party_, context);
    if (!lifetime)
        return lifetime.error();
    return std::optional(*lifetime);
}

std::optional<Call> ExecIssuer::revoke(const CredentialValue&, const MintContext&)
{
    return std::nullopt;
}

void ExecIssuer::use_refresh_token(Secret) {}

} // namespace aduana::broker
