// SPDX-License-Identifier: Apache-2.0
// Where secret inputs of a credential lie, and keys that sign.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace aduana::policy {

struct FileSource {
    std::string path;
};
struct EnvironmentSource {
    std::string variable;
};
/// In the sealed store (`aduana secret put`).
struct SealedSource {
    std::string name;
};
/// Where one secret input lies.
using SecretReference = std::variant<FileSource, EnvironmentSource, SealedSource>;

/// Signature algorithms by their names in RFC 7518 and RFC 8037.
enum class SignatureAlgorithm : std::uint8_t { hs256, rs256, es256, eddsa };

struct SigningInput {
    SecretReference key;
    SignatureAlgorithm algorithm = SignatureAlgorithm::es256;
    std::string key_id; ///< `kid`; empty: none
};

/// Claims of a JWT: each a text, or several.
struct Claim {
    std::string name;
    std::vector<std::string> values;
    bool list = false; ///< written as a JSON array, also where it holds one value
};
using Claims = std::vector<Claim>;

} // namespace aduana::policy
