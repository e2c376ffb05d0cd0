// SPDX-License-Identifier: Apache-2.0
// Secret inputs are checked once, when the dialogue is made: a task whose credentials cannot work is not started.
#include "broker/mint/secrets.hpp"

#include <algorithm>

namespace aduana::broker {
namespace {

constexpr std::size_t longest_input = 64 * std::size_t{1024};

Result<const Secret*> find(const SecretInputs& inputs, std::string_view part)
{
    const auto found = inputs.find(part);
    if (found == inputs.end())
        return Error{"its `" + std::string(part) + "` was not handed over", "can the caller read it?"};
    if (found->second->empty() || found->second->size() > longest_input)
        return Error{"its `" + std::string(part) + "` is empty or longer than 64 KiB", "is this the right file?"};
    return found->second;
}

} // namespace

Result<Secret> read_line_secret(const SecretInputs& inputs, std::string_view part)
{
    const auto input = find(inputs, part);
    if (!input)
        return input.error();
    const auto line = without_line_end((*input)->reveal());
    if (line.empty() || !std::ranges::all_of(line, [](char c) { return c >= 0x21 && c <= 0x7e; }))
        return Error{"its `" + std::string(part) + "` holds a space, a line end or another invisible character",
                     "store the bare value: visible ASCII only, on one line"};
    return Secret::copy_of(line);
}

Result<Secret> read_text_secret(const SecretInputs& inputs, std::string_view part)
{
    const auto input = find(inputs, part);
    if (!input)
        return input.error();
    return (*input)->duplicate();
}

Result<Signer> read_signer(const SecretInputs& inputs, std::string_view part, const policy::SigningInput& input)
{
    const auto text = find(inputs, part);
    if (!text)
        return text.error();
    auto key = SigningKey::read(input.algorithm, (*text)->reveal());
    if (!key)
        return Error{"its `" + std::string(part) + "`: " + key.error().message, key.error().remedy};
    return Signer{std::move(*key), input.key_id};
}

} // namespace aduana::broker
