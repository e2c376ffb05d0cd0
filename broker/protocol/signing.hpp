// SPDX-License-Identifier: Apache-2.0
// The parts of the messages about signatures.
#pragma once

#include <cstdint>
#include <string>

namespace aduana::broker {

/// How a lease without fields is used: each request is signed by the broker.
enum class Signing : std::uint8_t {
    none,
    aws,
    keyed_hash,
    keyed_hash_of_body, ///< the message has the digest of the body
};

enum class SignatureVersion : std::uint8_t { sigv4 = 1, sigv4a };
enum class SignatureForm : std::uint8_t { head = 1, query };
struct SignField {
    std::string name;
    std::string value;
};
/// What an AWS client has signed with its placeholder: the broker checks it against the credential's declaration, and
/// the id of the key against the one that it gave this task.
struct AwsScopeClaim {
    SignatureVersion version = SignatureVersion::sigv4;
    SignatureForm form = SignatureForm::head;
    std::string key_id;
    std::string region; ///< of sigv4a: the set
    std::string service;
    std::uint64_t lifetime_s = 0; ///< of the query form
};

} // namespace aduana::broker
