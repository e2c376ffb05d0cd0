// SPDX-License-Identifier: Apache-2.0
// Paths of requests and of rules: matched as the bytes that are sent, or refused as ambiguous.
#pragma once

#include "policy/base/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace aduana::policy {

/// True if two servers could read `path` (an absolute path without the query) as different resources: dot segments,
/// empty segments, backslashes, ";" parameters, encoded slashes, dots, percents or NULs, double encoding, non-ASCII or
/// overlong UTF-8 bytes, invalid percent triplets, encoded letters and digits, segments that end in a dot or a blank.
/// Such a path is refused wherever a rule looks at paths. "*" (OPTIONS *) is no path: not ambiguous, and never matched.
[[nodiscard]] bool path_is_ambiguous(std::string_view path);

/// A path of a rule: "/v1/issues/**". `*` stands for any run of bytes within one segment (alone: for a segment that is
/// not empty), `**` for any number of whole segments (none included). Everything else is compared byte for byte.
class PathPattern {
public:
    [[nodiscard]] static Result<PathPattern> parse(std::string_view text);
    /// `path` is the path as sent, without the query. An ambiguous path matches no pattern.
    [[nodiscard]] bool matches(std::string_view path) const;
    /// The wide reading, for deny rules: also true where only the percent-coding of reserved characters differs ("@"
    /// and "%40", "%c3" and "%C3"), which most servers take as the same.
    [[nodiscard]] bool could_match(std::string_view path) const;
    [[nodiscard]] const std::string& text() const noexcept { return text_; }

    friend bool operator==(const PathPattern&, const PathPattern&) = default;

private:
    std::string text_;
    std::vector<std::string> segments_;
    std::vector<std::string> folded_segments_;
};

} // namespace aduana::policy
