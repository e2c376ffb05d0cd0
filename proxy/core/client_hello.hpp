// SPDX-License-Identifier: Apache-2.0
// The server name in the first bytes of a TLS connection (RFC 8446 section 4.1.2, RFC 6066 section 3).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aduana::proxy {

inline constexpr std::size_t max_client_hello = 64 * 1024;

struct ClientHello {
    std::optional<std::string> server_name; ///< as sent; not yet a Host
    std::vector<std::string> alpn;
    bool encrypted_client_hello = false; ///< extension 0xfe0d is there
};

enum class HelloState : std::uint8_t { need_more, complete, not_tls, invalid };
struct HelloResult {
    HelloState state = HelloState::need_more;
    ClientHello hello;
};
/// `bytes` from the start of the connection; the hello may be spread over several records. Two server names, a
/// duplicate extension or lengths that disagree are invalid.
[[nodiscard]] HelloResult read_client_hello(std::string_view bytes);

/// What the first bytes of a connection say; the first one is there. Of the protocols that begin with a letter, as HTTP
/// does, SSH is the one whose client speaks first and then waits: it would look like a request that never ends.
enum class FirstByte : std::uint8_t { tls, http, unknown };
[[nodiscard]] FirstByte classify_first_bytes(std::string_view bytes);

} // namespace aduana::proxy
