// SPDX-License-Identifier: Apache-2.0
// Why the body of a request could not be read to its end.
#pragma once

#include "proxy/shell/link.hpp"
#include "proxy/shell/sides.hpp"

namespace aduana::proxy {

/// `state` is that of a piece that is not sound. Of a client that has closed, the link is told that it left.
inline Failure unsound_upload(Link& link, BodyPiece::State state)
{
    if (state == BodyPiece::State::invalid)
        return {policy::Reason::framing_invalid, Party::client, "the framing of the request body is not valid"};
    if (link.watchdog().expired())
        return {policy::Reason::request_timeout, Party::client, "the request body stood still for too long"};
    link.client_left();
    return {policy::Reason::request_timeout, Party::client, "the client closed before the end of its request body"};
}

} // namespace aduana::proxy
