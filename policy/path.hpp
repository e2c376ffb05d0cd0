// SPDX-License-Identifier: Apache-2.0
// Paths of requests and of rules: matched as the bytes that are sent, or refused as ambiguous.
#pragma once

#include "policy/base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace aduana::policy {

/// How many readings `path` (an absolute path without the query) has among servers.
enum class PathReading : std::uint8_t {
    plain, ///< one
    /// Two: "%2F" is part of a name ("@scope%2Fname" of npm, the names of objects), or it ends one, as "/" does. Every
    /// name on either side of it is plain.
    encoded_slash,
    /// More: dot segments, empty segments, backslashes, ";" parameters, encoded dots, percents or NULs, double
    /// encoding, non-ASCII or overlong UTF-8 bytes, invalid percent triplets, encoded letters and digits, names that
    /// end in a dot or a blank. Such a path is refused wherever a rule looks at paths.
    ambiguous,
};
/// "*" (OPTIONS *) is no path: plain, and never matched.
[[nodiscard]] PathReading read_path(std::string_view path);

/// A path of a rule: "/v1/issues/**". `*` stands for any run of bytes within one segment (alone: for a segment that is
/// not empty), `**` for any number of whole segments (none included). Everything else is compared byte for byte, but
/// for an encoded slash: "%2F" and "%2f" are one, and neither star stands for it. It has to be written out, and then
/// divides a segment into names as a slash divides a path: "/@*%2f*" for one, "/objects/*%2F**" for one or more.
class PathPattern {
public:
    [[nodiscard]] static Result<PathPattern> parse(std::string_view text);
    /// `path` is the path as sent, without the query. An ambiguous path matches no pattern.
    [[nodiscard]] bool matches(std::string_view path) const;
    /// The wide reading, for deny rules: also true where only the percent-coding of reserved characters, the case of
    /// letters or a slash at the end differs ("@" and "%40", "/Admin/" and "/admin"), which many servers take as the
    /// same; and an encoded slash is read both as part of a name and as a slash.
    [[nodiscard]] bool could_match(std::string_view path) const;
    [[nodiscard]] const std::string& text() const noexcept { return text_; }

    friend bool operator==(const PathPattern&, const PathPattern&) = default;

private:
    std::string text_;
    std::vector<std::string> segments_;
    std::vector<std::string> wide_segments_;
    std::vector<std::string> decoded_segments_; ///< the same with encoded slashes as slashes; empty where it has none
};

} // namespace aduana::policy
