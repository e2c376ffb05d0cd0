// SPDX-License-Identifier: Apache-2.0
// How a value may be written by a server that gives it back.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace aduana::proxy {

/// Holds a secret: whoever has it wipes `bytes`.
struct Spelling {
    std::string bytes;
    std::size_t value_bytes = 0; ///< of the value
    bool wraps = false;          ///< printed in lines of 16 characters and more, it may go on behind the end of a line
};

/// Shorter values are not searched for: the broker does not hand them out.
inline constexpr std::size_t min_scrubbed = 8;

/// Each once, longer than five bytes: raw, lower case, upper case, backwards, without what looks like an escape in it;
/// base64 and base64url at the three alignments (only the characters that the value determines alone), base64 and
/// base64url of that, base64 with percent signs; hex in both cases, dense, with blanks, with colons; percent-encoded,
/// escaped for JSON and for HTML and XML, each where it must be and throughout, in both cases of hex digits; UTF-16 in
/// both byte orders.
[[nodiscard]] std::vector<Spelling> spellings_of(std::string_view value);

} // namespace aduana::proxy
