// SPDX-License-Identifier: Apache-2.0
// A body in AWS's chunked coding, signed anew as it passes.
//
//   10000;chunk-signature=<64 digits> CR LF <data> CR LF  ...  0;chunk-signature=<64 digits> CR LF
//   [x-amz-checksum-crc32c:sOO8/Q== CR LF  x-amz-trailer-signature:<64 digits> CR LF]  CR LF
//
// Only the digits change, so that every length that was announced stays true.
#pragma once

#include "broker/sign/chunks.hpp"
#include "broker/sign/digest.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace aduana::proxy {

class AwsChunkedBody {
public:
    /// Of one chunk's data: a chunk is held until its signature is known, which goes before it.
    static constexpr std::size_t max_chunk = 1024 * 1024;
    /// Of all trailer lines.
    static constexpr std::size_t max_trailer = 16 * 1024;

    enum class Trailer : std::uint8_t { none, is_signed };
    AwsChunkedBody(Trailer trailer, broker::ChunkChain chain) : trailer_(trailer), chain_(std::move(chain)) {}

    /// What can go on, appended to `out`: as many bytes as were fed, in time. False: this is not the coding that the
    /// head announced, and nothing more may be sent.
    [[nodiscard]] bool feed(std::string_view bytes, std::string& out);
    /// The last chunk, and the trailer, have been fed.
    [[nodiscard]] bool complete() const noexcept { return state_ == State::complete; }

private:
    enum class State : std::uint8_t { size, data, data_end, trailer, complete, broken };

    [[nodiscard]] State take(std::string_view& bytes, std::string& out);
    [[nodiscard]] State take_size(std::string_view& bytes, std::string& out);
    [[nodiscard]] State take_data(std::string_view& bytes);
    [[nodiscard]] State take_data_end(std::string_view& bytes, std::string& out);
    [[nodiscard]] State take_trailer(std::string_view& bytes, std::string& out);
    [[nodiscard]] bool take_line(std::string_view& bytes, std::size_t most);

    Trailer trailer_;
    broker::ChunkChain chain_;
    State state_ = State::size;
    std::string line_;          ///< that is being read, with its end
    std::string size_;          ///< the chunk's size as it was sent
    std::string data_;          ///< of the chunk so far
    std::size_t missing_ = 0;   ///< of its data
    std::string trailer_lines_; ///< canonical, as they are signed
    bool trailer_signed_ = false;
};

} // namespace aduana::proxy
