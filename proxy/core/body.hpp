// SPDX-License-Identifier: Apache-2.0
// Where a message body ends, and its bytes without their framing (RFC 9112 sections 6 and 7).
#pragma once

#include "proxy/core/failure.hpp"
#include "proxy/core/head.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace aduana::proxy {

struct BodyLength {
    enum class Kind : std::uint8_t { none, counted, chunked, until_close };
    Kind kind = Kind::none;
    std::uint64_t size = 0; ///< of a counted body
};

/// For a head that parse_request_head has passed.
[[nodiscard]] BodyLength body_of(const RequestHead& head);
/// RFC 9112 section 6.3: depends on the method of the request.
[[nodiscard]] BodyLength body_of(const ResponseHead& head, std::string_view request_method);

/// Takes the framing off a body, piece by piece. Chunk extensions are bounded, checked and dropped; trailer fields are
/// bounded, checked and kept.
class BodyReader {
public:
    explicit BodyReader(BodyLength length);

    struct Step {
        std::size_t consumed = 0;   ///< of `input`, framing included
        std::string_view payload{}; ///< a view into `input`
        bool ended = false;         ///< the body is complete
        bool invalid = false;       ///< framing error: the connection cannot be used any more
    };
    /// Consumes a prefix of `input`; call again with the rest until nothing is consumed or the body has ended.
    [[nodiscard]] Step next(std::string_view input);
    [[nodiscard]] bool ended() const noexcept;
    /// The peer closed: true if that is how this body ends.
    [[nodiscard]] bool end_of_stream();
    /// Complete once the body has ended.
    [[nodiscard]] const FieldBuffer& trailers() const noexcept { return trailers_; }

private:
    enum class Phase : std::uint8_t {
        counted,
        size,
        size_lf,
        extension,
        quoted,
        quoted_pair,
        data,
        data_cr,
        data_lf,
        trailer,
        until_close,
        done,
        bad,
    };
    Step chunked(std::string_view input);
    /// At most `rest_` bytes of `input`.
    std::string_view take(std::string_view input);
    /// The phase after one byte of framing.
    Phase after(char c);
    Phase after_size(char c);
    Phase after_extension(char c);
    Phase after_trailer(char c);
    /// False if the line is no field line.
    bool keep_trailer(std::string_view line);

    Phase phase_ = Phase::bad;
    std::uint8_t digits_ = 0; ///< of the chunk size being read
    std::uint64_t rest_ = 0;  ///< payload bytes that follow
    std::uint32_t extension_bytes_ = 0;
    std::uint32_t trailer_bytes_ = 0;
    std::string trailer_; ///< the trailer line being read
    FieldBuffer trailers_;
};

/// "SIZE\r\n" before `payload_size` bytes (not zero), which "\r\n" must follow.
void append_chunk_head(std::string& out, std::size_t payload_size);

} // namespace aduana::proxy
