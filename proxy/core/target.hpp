// SPDX-License-Identifier: Apache-2.0
// What a request asks for: the request line, Host, the CONNECT host, the SNI and the dialled address must agree.
#pragma once

#include "policy/task_policy.hpp"
#include "proxy/core/failure.hpp"
#include "proxy/core/head.hpp"

#include <optional>
#include <string_view>

namespace aduana::proxy {

enum class WayIn : std::uint8_t { absolute_form, connect, transparent };
[[nodiscard]] std::string_view name_of(WayIn way_in);

/// What the connection has fixed before the first request on it.
struct Scope {
    WayIn way_in = WayIn::absolute_form;
    policy::Scheme scheme = policy::Scheme::http;
    /// Unset on the proxy port, and on a transparent plain connection to an address that stands for no name.
    std::optional<policy::Host> host;
    /// The address that a transparent client dialled when it stands for no name.
    std::optional<policy::Ip> dialled;
    std::uint16_t port = 0;
};

struct Target {
    policy::Scheme scheme = policy::Scheme::http;
    policy::Host host;
    std::uint16_t port = 0;
    std::string_view path;  ///< as sent, "/" at least, without the query ("*" for OPTIONS *)
    std::string_view query; ///< with its "?", or empty
};

/// On the proxy port: absolute-form http://, or CONNECT (see read_connect). Elsewhere: origin-form, or an absolute-form
/// that names the same destination. Host is required in HTTP/1.1 and must name the same host and port: name_mismatch.
/// https:// in absolute-form is refused with a hint to use CONNECT. Fragments, user information and control bytes are
/// framing_invalid. Views into the head.
[[nodiscard]] Outcome<Target> read_target(const RequestHead& head, const Scope& scope);

/// Where COPY, MOVE and their kin put what the target is (RFC 4918 section 10.3); nothing where the request does not
/// say. It must be one path or URL of the same server: override_refused. Views into the head.
[[nodiscard]] Outcome<std::optional<Target>> read_destination(const RequestHead& head, const Target& target);

/// authority-form with a port; Host, where present, must agree.
[[nodiscard]] Outcome<policy::Authority> read_connect(const RequestHead& head);

/// Names of the query's parameters, for the record: at most 32, each cut at 64 bytes. Never their values.
[[nodiscard]] std::vector<std::string> query_keys(std::string_view query);

} // namespace aduana::proxy
