// SPDX-License-Identifier: Apache-2.0
// Each reader reports what is wrong and returns something that reading can go on with.
#include "policy/load/source_values.hpp"

#include "policy/limits.hpp"
#include "policy/load/characters.hpp"
#include "policy/load/choice.hpp"
#include "policy/load/values.hpp"
#include "policy/quote.hpp"

#include <algorithm>
#include <array>

namespace aduana::policy::load {

namespace {

constexpr std::array<std::string_view, 3> reference_keys{"file", "env", "secret"};
constexpr KeyTable reference_table{"a secret", reference_keys};

constexpr std::array<std::string_view, 4> algorithms{"ES256", "RS256", "EdDSA", "HS256"};
constexpr std::array by_word{SignatureAlgorithm::es256, SignatureAlgorithm::rs256, SignatureAlgorithm::eddsa,
                             SignatureAlgorithm::hs256};

constexpr std::size_t longest_text = 1024;

bool is_visible(std::string_view text)
{
    return !text.empty() && text.size() <= longest_text &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x21 && c <= 0x7e; });
}

HttpsUrl some_url()
{
    return *HttpsUrl::parse("https://issuer.invalid/");
}

Claim read_claim(const Entry& entry, Mistakes& mistakes)
{
    constexpr std::array<std::string_view, 4> own{"exp", "iat", "jti", "nbf"};
    Claim claim{entry.key, {}, entry.value.kind == Node::Kind::sequence};
    if (std::find(own.begin(), own.end(), entry.key) != own.end())
        mistakes.add(entry.place, Mistake::claim_reserved, {ticked(entry.key)});
    if (!claim.list) {
        claim.values.push_back(read_text(entry.value, ticked(entry.key), mistakes).value_or(""));
        return claim;
    }
    for (const auto& item : read_filled_list(entry.value, ticked(entry.key), "write a text instead", mistakes))
        claim.values.push_back(read_text(item, entry_of(entry.key), mistakes).value_or(""));
    return claim;
}

} // namespace

SecretReference read_reference(const Node& node, std::string_view label, Mistakes& mistakes)
{
    if (node.kind == Node::Kind::scalar) {
        mistakes.add(node.place, Mistake::secret_inline, {label});
        return FileSource{};
    }
    const auto* choice = read_choice(node, label, reference_table, mistakes);
    if (!choice)
        return FileSource{};
    if (choice->key == "file")
        return FileSource{read_plain_path(choice->value, "`file`", mistakes).value_or("")};
    if (choice->key == "secret") {
        const auto name = read_text(choice->value, "`secret`", mistakes);
        if (name)
            check_name(*name, choice->value.place, mistakes);
        return SealedSource{name.value_or("")};
    }
    const auto name = read_text(choice->value, "`env`", mistakes);
    if (name)
        check_variable(*name, choice->value.place, mistakes);
    return EnvironmentSource{name.value_or("")};
}

SecretReference require_reference(const Fields& fields, std::string_view key, Mistakes& mistakes)
{
    const auto* node = fields.require(key, "`" + std::string(key) + ": {file: /PATH}`");
    return node ? read_reference(*node, ticked(key), mistakes) : FileSource{};
}

HttpsUrl read_url(const Node& node, Mistakes& mistakes)
{
    const auto text = read_text(node, "a URL", mistakes);
    if (!text)
        return some_url();
    auto url = HttpsUrl::parse(*text);
    if (url)
        return std::move(*url);
    mistakes.add(node.place, Mistake::url_invalid, {url.error().message, url.error().remedy});
    return some_url();
}

HttpsUrl require_url(const Fields& fields, std::string_view key, std::string_view example, Mistakes& mistakes)
{
    const auto* node = fields.require(key, example);
    return node ? read_url(*node, mistakes) : some_url();
}

std::string read_visible(const Node& node, std::string_view label, Mistakes& mistakes)
{
    const auto text = read_text(node, label, mistakes);
    if (!text)
        return {};
    if (is_visible(*text))
        return *text;
    mistakes.add(node.place, Mistake::text_not_visible, {label, quoted(*text)});
    return {};
}

std::string require_visible(const Fields& fields, std::string_view key, std::string_view example, Mistakes& mistakes)
{
    const auto* node = fields.require(key, example);
    return node ? read_visible(*node, ticked(key), mistakes) : std::string();
}

std::string find_visible(const Fields& fields, std::string_view key, Mistakes& mistakes)
{
    const auto* node = fields.find(key);
    return node ? read_visible(*node, ticked(key), mistakes) : std::string();
}

std::vector<std::string> find_words(const Fields& fields, std::string_view key, Mistakes& mistakes)
{
    std::vector<std::string> words;
    const auto* node = fields.find(key);
    if (!node)
        return words;
    for (const auto& item : read_filled_list(*node, ticked(key), "name one, or remove the key", mistakes)) {
        auto word = read_visible(item, entry_of(key), mistakes);
        if (word.empty())
            continue;
        if (std::find(words.begin(), words.end(), word) != words.end())
            mistakes.add(item.place, Mistake::listed_twice, {ticked(word)});
        words.push_back(std::move(word));
    }
    return words;
}

std::size_t find_choice(const Fields& fields, std::string_view key, std::span<const std::string_view> words,
                        Mistakes& mistakes)
{
    const auto* node = fields.find(key);
    const auto text = node ? read_text(*node, ticked(key), mistakes) : std::nullopt;
    if (!text)
        return 0;
    const auto found = std::find(words.begin(), words.end(), *text);
    if (found != words.end())
        return static_cast<std::size_t>(found - words.begin());
    mistakes.add(node->place, Mistake::word_unknown, {ticked(*text), ticked(key), joined(words)});
    return 0;
}

std::chrono::seconds find_lifetime(const Fields& fields, std::string_view key, const Lifetimes& range,
                                   std::chrono::seconds standard, Mistakes& mistakes)
{
    const auto* node = fields.find(key);
    const auto text = node ? read_text(*node, ticked(key), mistakes) : std::nullopt;
    if (!text)
        return standard;
    const auto lifetime = parse_duration(*text);
    if (!lifetime) {
        mistakes.add(node->place, Mistake::ttl_invalid, {lifetime.error().message, lifetime.error().remedy});
        return standard;
    }
    if (*lifetime < range.least || *lifetime > range.most || *lifetime % std::chrono::seconds(1) != *lifetime * 0) {
        mistakes.add(node->place, Mistake::lifetime_out_of_range, {ticked(key), quoted(*text), range.text});
        return standard;
    }
    return std::chrono::duration_cast<std::chrono::seconds>(*lifetime);
}

SigningInput read_signing_input(const Fields& fields, Mistakes& mistakes)
{
    SigningInput input;
    input.key = require_reference(fields, "key", mistakes);
    (void)fields.require("algorithm", "`algorithm: ES256`");
    input.algorithm = by_word.at(find_choice(fields, "algorithm", algorithms, mistakes));
    input.key_id = find_visible(fields, "key_id", mistakes);
    return input;
}

Claims read_claims(const Node& node, Mistakes& mistakes)
{
    Claims claims;
    for (const auto& entry : read_map(node, "`claims`", "names of claims", mistakes))
        claims.push_back(read_claim(entry, mistakes));
    return claims;
}

} // namespace aduana::policy::load
