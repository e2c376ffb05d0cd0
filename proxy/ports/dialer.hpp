// SPDX-License-Identifier: Apache-2.0
// The one place that dials.
#pragma once

#include "policy/address.hpp"
#include "policy/base/secret.hpp"
#include "policy/host.hpp"
#include "proxy/core/failure.hpp"
#include "proxy/core/parent.hpp"
#include "proxy/ports/stream.hpp"

#include <memory>
#include <vector>

namespace aduana::proxy {

enum class DialSecurity : std::uint8_t {
    plain,         ///< TCP: http, or a tunnel whose TLS is the client's own
    verified,      ///< TLS, with the certificate verified for the allowed name; HTTP/2 where the server speaks it
    verified_http1 ///< the same, but HTTP/1.1 in any case: for upgrades
};

/// Asked in the middle of a handshake: the server has proven its name, and wants to know who we are.
class IdentitySource {
public:
    virtual ~IdentitySource() = default;
    /// PEM, as in broker::Lease, valid while the handshake runs; null: nobody in particular.
    virtual asio::awaitable<Outcome<const Secret*>> identity() = 0;
};

struct Dialled {
    std::unique_ptr<Stream> stream;
    policy::Ip address;
    std::string tls_version; ///< "TLSv1.3", or empty for plain
    bool http2 = false;      ///< the server has chosen it (RFC 7301)
    bool identified = false; ///< with a certificate of an IdentitySource
};

/// What is said to the parent proxy, and where it is. All borrowed.
struct ParentWay {
    const Parent& parent;
    const std::vector<policy::PinnedAddress>& addresses;
    std::string_view connect_head;
    std::string_view asked; ///< "host:port", for messages
};

class Dialer {
public:
    virtual ~Dialer() = default;
    /// Tries the addresses, the families in turns, until one accepts. Only vetted addresses can be spelled.
    /// `identities` may be null. Failures: upstream_unreachable, upstream_timeout, tls_unverified, and those of
    /// `identities`.
    virtual asio::awaitable<Outcome<Dialled>> dial(const std::vector<policy::PinnedAddress>& addresses,
                                                   const policy::Host& name, DialSecurity security,
                                                   IdentitySource* identities) = 0;
    /// The same to `name`, through the parent proxy at `way.addresses`. Also: parent_refused, upstream_invalid.
    virtual asio::awaitable<Outcome<Dialled>> dial_through(const ParentWay& way, const policy::Host& name,
                                                           DialSecurity security, IdentitySource* identities) = 0;
};

} // namespace aduana::proxy
