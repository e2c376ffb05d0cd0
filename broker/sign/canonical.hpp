// SPDX-License-Identifier: Apache-2.0
// The canonical request of AWS Signature Version 4: the one spelling that signer and server both arrive at.
//
//   METHOD \n path \n query \n name:value\n... \n names \n payload
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace aduana::broker {

struct CoveredField {
    std::string_view name; ///< in any case
    std::string_view value;
};

/// All borrowed.
struct AwsRequest {
    std::string_view method;
    std::string_view path;            ///< as sent
    std::string_view query;           ///< as sent, without its "?"
    std::vector<CoveredField> fields; ///< those that the signature covers; Host among them
    /// 64 hexadecimal digits, or one of the words for a payload that is not hashed beforehand.
    std::string_view payload;
};

enum class PathForm : std::uint8_t {
    normalized, ///< dot segments and empty segments resolved, then encoded once more: what most services do
    as_sent,    ///< the path's own segments, each byte in its one encoding: S3, where "a//b" is a name like any other
};
/// S3 and its kin.
[[nodiscard]] PathForm path_form_of(std::string_view service) noexcept;

struct Canonical {
    std::string text;
    std::string names; ///< "host;x-amz-date"
};
/// Names in lower case and in order, values of one name joined by commas, blanks in values folded to one. In the query
/// "+" is a blank, as the servers read it.
[[nodiscard]] Canonical canonical_request(const AwsRequest& request, PathForm form);

/// Each byte but [A-Za-z0-9-._~] as %XX.
[[nodiscard]] std::string percent_encoded(std::string_view bytes);

} // namespace aduana::broker
