// SPDX-License-Identifier: Apache-2.0
// The secret inputs of one source, by part (policy::secret_parts), and how dialogues take them.
#pragma once

#include "broker/mint/jwt.hpp"
#include "policy/base/result.hpp"
#include "policy/https_url.hpp"

#include <map>
#include <string>

namespace aduana::broker {

/// Borrowed values by the name of their part.
using SecretInputs = std::map<std::string, const Secret*, std::less<>>;

/// A password or token: one line of visible characters, without the line end that editors add. An error names the part.
[[nodiscard]] Result<Secret> read_line_secret(const SecretInputs& inputs, std::string_view part);
/// Text of several lines, as it is: PEM and JSON.
[[nodiscard]] Result<Secret> read_text_secret(const SecretInputs& inputs, std::string_view part);
[[nodiscard]] Result<Signer> read_signer(const SecretInputs& inputs, std::string_view part,
                                         const policy::SigningInput& input);

[[nodiscard]] inline Endpoint endpoint_of(const policy::HttpsUrl& url)
{
    return {url.host, url.port, url.target};
}

} // namespace aduana::broker
