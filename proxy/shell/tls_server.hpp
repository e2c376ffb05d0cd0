// SPDX-License-Identifier: Apache-2.0
// The TLS side that a sandbox sees: one context for all names of a task, the leaf chosen for each connection.
#pragma once

#include "certs/leaf_cache.hpp"
#include "proxy/shell/plain_stream.hpp"
#include "proxy/shell/tls_stream.hpp"

namespace aduana::proxy {

/// Session tickets are sealed with keys of this context: they are worth nothing to another task.
class ServerTls {
public:
    /// Makes the task's authority; its key lives and ends with this object.
    ServerTls(std::string_view task, certs::TimePoint now);

    [[nodiscard]] std::string ca_certificate() const { return ca_.certificate_pem(); }

    /// TLS with a leaf for `name` on a client's connection, of which `hello` was read already. To be handshaken.
    [[nodiscard]] std::unique_ptr<TlsStream> accept(PlainStream& client, std::string hello, const policy::Host& name,
                                                    certs::TimePoint now);

private:
    certs::TaskCa ca_;
    certs::LeafCache leaves_;
    SslContextPtr context_;
};

} // namespace aduana::proxy
