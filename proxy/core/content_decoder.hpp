// SPDX-License-Identifier: Apache-2.0
// Bodies without their content coding (RFC 9110 section 8.4.1), piece by piece and in bounded memory: what is coded
// cannot be searched. The only user of zlib, Brotli and Zstandard.
#pragma once

#include "proxy/core/head.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace aduana::proxy {

enum class ContentCoding : std::uint8_t { identity, gzip, deflate, brotli, zstd };

/// Of all Content-Encoding fields together; nothing for a coding that is not known, and for more than one: whoever
/// stacks them has something to hide.
[[nodiscard]] std::optional<ContentCoding> content_coding(const Fields& fields);

/// What a body must not become, so that a short answer cannot keep the proxy busy for long: more than this many times
/// its own size, beyond the first mebibyte.
inline constexpr std::uint64_t most_inflation = 200;
inline constexpr std::uint64_t free_inflation = 1024 * 1024;

/// Memory: the window that the coding needs, 8 MiB at most (RFC 9659), 16 MiB for Brotli.
class ContentDecoder {
public:
    /// Not of identity.
    explicit ContentDecoder(ContentCoding coding);
    ContentDecoder(ContentDecoder&&) noexcept;
    ContentDecoder& operator=(ContentDecoder&&) noexcept;
    ~ContentDecoder();

    struct Step {
        std::size_t consumed = 0; ///< of the input
        std::size_t produced = 0; ///< of the output
        bool failed = false;      ///< the input is no such coding, or grows beyond all measure; `why`
    };
    /// Consumes a prefix of `in`. Call again with the rest until nothing is left and `out` was not filled.
    [[nodiscard]] Step next(std::string_view in, std::span<char> out);
    /// After all input: nothing is missing.
    [[nodiscard]] bool complete() const;
    /// A fixed text.
    [[nodiscard]] std::string_view why() const noexcept { return why_; }

    /// One kind of coding; `State` says what came of a step.
    class Codec;

private:
    std::unique_ptr<Codec> codec_;
    std::uint64_t taken_ = 0;
    std::uint64_t given_ = 0;
    std::string_view why_;
};

} // namespace aduana::proxy
