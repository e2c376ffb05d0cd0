// SPDX-License-Identifier: Apache-2.0
// Bodies in the content codings of HTTP.
#pragma once

#include "proxy/core/content_decoder.hpp"

#include <brotli/encode.h>
#include <zlib.h>
#include <zstd.h>

#include <stdexcept>
#include <string>

namespace aduana::test {

inline constexpr int gzip_bits = 15 + 16;
inline constexpr int zlib_bits = 15;
inline constexpr int bare_bits = -15;

inline std::string deflated(std::string_view text, int bits)
{
    z_stream stream{};
    if (deflateInit2(&stream, 9, Z_DEFLATED, bits, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        throw std::runtime_error("deflateInit2");
    std::string out(deflateBound(&stream, text.size()) + 64, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    const int ended = deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    if (ended != Z_STREAM_END)
        throw std::runtime_error("deflate");
    return out;
}

/// What is short needs no large tables, which take longer to clear than all the rest.
inline std::string brotlied(std::string_view text)
{
    const int window_bits = text.size() < 60'000 ? 16 : 22;
    std::size_t size = BrotliEncoderMaxCompressedSize(text.size()) + 64;
    std::string out(size, '\0');
    if (BrotliEncoderCompress(5, window_bits, BROTLI_MODE_GENERIC, text.size(),
                              reinterpret_cast<const std::uint8_t*>(text.data()), &size,
                              reinterpret_cast<std::uint8_t*>(out.data())) != BROTLI_TRUE)
        throw std::runtime_error("BrotliEncoderCompress");
    out.resize(size);
    return out;
}

/// `window_log`: 0 for what the level says.
inline std::string zstandard(std::string_view text, int window_log = 0)
{
    ZSTD_CCtx* const context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
    std::string out(ZSTD_compressBound(text.size()), '\0');
    ZSTD_inBuffer in{text.data(), text.size(), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    const auto left = ZSTD_compressStream2(context, &to, &in, ZSTD_e_end);
    ZSTD_freeCCtx(context);
    if (left != 0)
        throw std::runtime_error("ZSTD_compressStream2");
    out.resize(to.pos);
    return out;
}

inline std::string coded(std::string_view text, proxy::ContentCoding coding)
{
    switch (coding) {
    case proxy::ContentCoding::gzip:
        return deflated(text, gzip_bits);
    case proxy::ContentCoding::deflate:
        return deflated(text, zlib_bits);
    case proxy::ContentCoding::brotli:
        return brotlied(text);
    case proxy::ContentCoding::zstd:
        return zstandard(text);
    case proxy::ContentCoding::identity:
        break;
    }
    return std::string(text);
}

inline constexpr proxy::ContentCoding real_codings[] = {proxy::ContentCoding::gzip, proxy::ContentCoding::deflate,
                                                        proxy::ContentCoding::brotli, proxy::ContentCoding::zstd};

} // namespace aduana::test
