// SPDX-License-Identifier: Apache-2.0
// Values that more than one kind of source holds: references to secrets, URLs, words, keys that sign.
#pragma once

#include "policy/credential_source.hpp"
#include "policy/load/fields.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace aduana::policy::load {

/// `{file: PATH}`, `{env: NAME}` or `{secret: NAME}`.
[[nodiscard]] SecretReference read_reference(const Node& node, std::string_view label, Mistakes& mistakes);
/// The required key `key` of `fields` as a reference.
[[nodiscard]] SecretReference require_reference(const Fields& fields, std::string_view key, Mistakes& mistakes);

/// Some URL after a mistake.
[[nodiscard]] HttpsUrl read_url(const Node& node, Mistakes& mistakes);
[[nodiscard]] HttpsUrl require_url(const Fields& fields, std::string_view key, std::string_view example,
                                   Mistakes& mistakes);

/// Visible ASCII, without spaces: ids, names, tokens of a scope. Empty after a mistake.
[[nodiscard]] std::string read_visible(const Node& node, std::string_view label, Mistakes& mistakes);
/// The required key `key` of `fields`, by `read_visible`. `example` says what to write.
[[nodiscard]] std::string require_visible(const Fields& fields, std::string_view key, std::string_view example,
                                          Mistakes& mistakes);
/// The optional key `key`; empty where it is absent.
[[nodiscard]] std::string find_visible(const Fields& fields, std::string_view key, Mistakes& mistakes);
/// A list of such texts, each once; empty where the key is absent.
[[nodiscard]] std::vector<std::string> find_words(const Fields& fields, std::string_view key, Mistakes& mistakes);

/// The index of the value of `key` in `words`; of the first, the default, where it is absent or a mistake.
[[nodiscard]] std::size_t find_choice(const Fields& fields, std::string_view key,
                                      std::span<const std::string_view> words, Mistakes& mistakes);

struct Lifetimes {
    std::chrono::seconds least;
    std::chrono::seconds most;
    std::string_view text; ///< "from 1m to 1h"
};
/// `standard` where the key is absent or a mistake.
[[nodiscard]] std::chrono::seconds find_lifetime(const Fields& fields, std::string_view key, const Lifetimes& range,
                                                 std::chrono::seconds standard, Mistakes& mistakes);

/// `key`, `algorithm` and `key_id`.
[[nodiscard]] SigningInput read_signing_input(const Fields& fields, Mistakes& mistakes);

/// Names with a text or a list of texts each; the times and the id are the broker's own.
[[nodiscard]] Claims read_claims(const Node& node, Mistakes& mistakes);

} // namespace aduana::policy::load
