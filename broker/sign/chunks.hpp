// SPDX-License-Identifier: Apache-2.0
// The chain of signatures inside a streamed body: each chunk signs its data and the signature before it.
//
//   head: seed ──▶ chunk 1 ──▶ chunk 2 ──▶ ... ──▶ last chunk (empty) ──▶ trailer
#pragma once

#include "broker/sign/scope.hpp"

namespace aduana::broker {

/// Version 4 only: the key of version 4A is good for everything, and does not leave the broker.
class ChunkChain {
public:
    /// `key` is the signing key of `scope`, `seed` the signature of the head.
    ChunkChain(AwsScope scope, Secret key, std::string seed)
        : scope_(std::move(scope)), key_(std::move(key)), previous_(std::move(seed))
    {
    }

    /// The signature of the next chunk, whose data have this SHA-256 (hexadecimal).
    [[nodiscard]] std::string next_chunk(std::string_view data_hash);
    /// The signature of the trailer, after the last chunk. `lines`: "name:value\n" for each field, names in lower case.
    [[nodiscard]] std::string trailer(std::string_view lines);

private:
    [[nodiscard]] std::string head_of(std::string_view kind) const;

    AwsScope scope_;
    Secret key_;
    std::string previous_;
};

} // namespace aduana::broker
