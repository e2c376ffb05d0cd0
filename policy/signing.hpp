// SPDX-License-Identifier: Apache-2.0
// What the operator declares about credentials that sign requests instead of travelling in them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace aduana::policy {

enum class Permission : std::uint8_t { deny, allow };

/// AWS Signature Version 4, or 4A. The value of the credential is `KEYID,SECRET` or `KEYID,SECRET,SESSIONTOKEN`.
struct AwsInjection {
    enum class Version : std::uint8_t { sigv4, sigv4a };
    Version version = Version::sigv4;
    std::vector<std::string> services; ///< that may be signed for: "s3"
    std::vector<std::string> regions;  ///< "eu-west-1"; of sigv4a: what a set of regions may hold
    /// Requests whose body no signature covers. It still goes over verified TLS.
    Permission unsigned_payload = Permission::allow;
    /// Requests that carry their signature in the query.
    Permission presign = Permission::deny;
};

/// A part of a request that a message may name.
enum class MessagePart : std::uint8_t { timestamp, nonce, method, host, path, query, body_sha256 };
/// "{timestamp}" and so on without the braces, in the order of MessagePart.
inline constexpr std::array<std::string_view, 7> message_parts{"timestamp", "nonce", "method",     "host",
                                                               "path",      "query", "body_sha256"};
/// Text, or a part of the request in its place.
using MessagePiece = std::variant<std::string, MessagePart>;
/// Nothing where braces do not name a part.
[[nodiscard]] std::optional<std::vector<MessagePiece>> parse_message(std::string_view text);

/// A header whose value is an HMAC-SHA-256 under the credential, of a message that the operator writes: what is signed
/// is never the client's choice.
struct HmacInjection {
    enum class Encoding : std::uint8_t { hex, base64 };
    std::string header;
    std::string format = "{}"; ///< the signature replaces {}
    Encoding encoding = Encoding::hex;
    std::vector<MessagePiece> message;
    std::string timestamp_header; ///< gets the seconds since 1970 that the message has; empty: none
    std::string nonce_header;     ///< gets the message's nonce, 32 hexadecimal digits; empty: none

    [[nodiscard]] bool names(MessagePart part) const;
};

} // namespace aduana::policy
