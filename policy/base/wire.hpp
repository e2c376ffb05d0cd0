// SPDX-License-Identifier: Apache-2.0
// Typed, bounded, canonical messages for the control and the broker sockets.
//
// A frame is one datagram of a SOCK_SEQPACKET socket:
//
//   0        1        2                 10
//   +--------+--------+-----------------+---------------------------+
//   | version| type   | request id (LE) | fields in declared order  |
//   +--------+--------+-----------------+---------------------------+
//
// Fields carry no names: u8, u32 and u64 are little-endian; `bytes` is a u32 length and that many bytes; a list is a
// u32 count and its elements. A frame that is short, has bytes left over, or names a count or length beyond its end
// is an error: the reader closes the socket. Frames are at most 256 KiB.
#pragma once

#include "policy/base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace aduana::wire {

inline constexpr std::uint8_t version = 1;
inline constexpr std::size_t max_frame = 256 * 1024;

struct Header {
    std::uint8_t type = 0;
    std::uint64_t request = 0;
};

/// Builds one frame. Reusable buffers of secrets are wiped by `~Writer`.
class Writer {
public:
    Writer(std::uint8_t type, std::uint64_t request);
    Writer(Writer&&) noexcept = default;
    Writer(const Writer&) = delete;
    ~Writer();

    Writer& u8(std::uint8_t value);
    Writer& u32(std::uint32_t value);
    Writer& u64(std::uint64_t value);
    Writer& boolean(bool value) { return u8(value ? 1 : 0); }
    Writer& bytes(std::string_view value);
    Writer& list(const std::vector<std::string>& values);

    /// The finished frame; valid while this Writer lives. Empty if the frame would exceed `max_frame`.
    [[nodiscard]] std::string_view frame() const noexcept;

private:
    Writer& append(std::string_view bytes);
    Writer& number(std::uint64_t value, std::size_t size);

    std::string buffer_;
    bool oversize_ = false;
};

/// Reads the fields of one frame. After the first error every read returns an empty value, so a decoder reads all its
/// fields and then asks `finish()` once.
class Reader {
public:
    /// `frame` must outlive the Reader: `bytes()` returns views into it.
    explicit Reader(std::string_view frame);

    [[nodiscard]] Header header() const noexcept { return header_; }
    [[nodiscard]] std::uint8_t u8();
    [[nodiscard]] std::uint32_t u32();
    [[nodiscard]] std::uint64_t u64();
    /// Only 0 and 1 are booleans.
    [[nodiscard]] bool boolean();
    [[nodiscard]] std::string_view bytes();
    [[nodiscard]] std::vector<std::string> list();
    /// A count for the caller's own loop: at most `rest / min_element` elements can follow.
    [[nodiscard]] std::uint32_t count(std::size_t min_element);
    [[nodiscard]] bool failed() const noexcept { return failed_; }

    /// Ok if every field was there and nothing is left over.
    [[nodiscard]] Result<Ok> finish() const;

private:
    [[nodiscard]] std::string_view take(std::size_t size);

    std::string_view rest_;
    Header header_;
    bool failed_ = false;
};

} // namespace aduana::wire
