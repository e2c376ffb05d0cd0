// SPDX-License-Identifier: Apache-2.0
// Strings to sign of chunks and trailers.
#include "broker/sign/chunks.hpp"

#include "broker/sign/digest.hpp"

namespace aduana::broker {

std::string ChunkChain::head_of(std::string_view kind) const
{
    return std::string(name_of(scope_.algorithm)) + std::string(kind) + '\n' + scope_.time + '\n' +
           credential_scope(scope_) + '\n' + previous_ + '\n';
}

std::string ChunkChain::next_chunk(std::string_view data_hash)
{
    // The empty hash stands for the chunk's extensions, of which none is signed.
    const auto text = head_of("-PAYLOAD").append(empty_sha256).append(1, '\n').append(data_hash);
    previous_ = signature(scope_, key_, text);
    return previous_;
}

std::string ChunkChain::trailer(std::string_view lines)
{
    return signature(scope_, key_, head_of("-TRAILER").append(sha256_hex(lines)));
}

} // namespace aduana::broker
