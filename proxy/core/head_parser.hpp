// SPDX-License-Identifier: Apache-2.0
// From bytes to heads, strictly: what could be read in two ways is refused (RFC 9112 sections 2 to 6, 11.2).
#pragma once

#include "proxy/core/failure.hpp"
#include "proxy/core/head.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace aduana::proxy {

inline constexpr std::size_t max_head = 64 * 1024;
inline constexpr std::size_t max_fields = 200;

/// Finds the end of a head in a growing buffer in linear time, however small the pieces are. A line feed without its
/// carriage return, or a NUL, is an error at once. Leading empty lines are not skipped.
class HeadScanner {
public:
    enum class State : std::uint8_t { need_more, complete, invalid, too_large };
    /// `buffer` starts at the same byte on every call and only grows.
    [[nodiscard]] State scan(std::string_view buffer);
    /// After `complete`: bytes of the head, its empty line included.
    [[nodiscard]] std::size_t head_size() const noexcept { return end_; }
    void reset() { scanned_ = end_ = 0; }

private:
    std::size_t scanned_ = 0;
    std::size_t end_ = 0;
};

/// `bytes` is exactly one head and must outlive the result. Refused with framing_invalid: obsolete line folding, white
/// space around names, names that are no tokens, control bytes in values, versions other than 1.0 and 1.1, more than
/// one Host or Content-Length, Content-Length that is no plain decimal number, Transfer-Encoding other than exactly one
/// "chunked", both of them together, Transfer-Encoding in HTTP/1.0, names that differ from a framing, authority or
/// authentication field only by "_" for "-".
[[nodiscard]] Outcome<RequestHead> parse_request_head(std::string_view bytes);
/// The same for responses; statuses outside 100..599 are framing_invalid of the upstream, and so is 101, unless the
/// request has asked to go on in another protocol.
enum class Switching : std::uint8_t { refused, asked_for };
[[nodiscard]] Outcome<ResponseHead> parse_response_head(std::string_view bytes,
                                                        Switching switching = Switching::refused);

} // namespace aduana::proxy
