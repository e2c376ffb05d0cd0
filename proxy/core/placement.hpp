// SPDX-License-Identifier: Apache-2.0
// The edits of a lease in a request: where each value goes, and that it goes nowhere else.
//
//   query, path, cookie, password ─▶ `place` ─▶ put_into(OutgoingRequest)     before anything is sent
//   form, JSON field    ─▶ `find_field` in the whole body           small bodies as they are, never decoded
//   WebSocket text      ─▶ WebsocketLeg::edit_texts                 message by message
#pragma once

#include "broker/protocol/messages.hpp"
#include "proxy/core/body.hpp"
#include "proxy/core/rewrite.hpp"
#include "proxy/core/slot.hpp"

#include <optional>

namespace aduana::proxy {

/// Bodies with a field to be replaced are held whole, up to this many bytes.
inline constexpr std::size_t max_edited_body = 1024 * 1024;

/// What a request becomes. Borrows from the lease, which outlives it.
struct Placement {
    FilledText path;                     ///< empty: as it was
    FilledText query;                    ///< with its "?"; empty: as it was
    FilledText cookies;                  ///< the one Cookie field; empty: as they were
    FilledText authorization;            ///< empty: none but a field of the lease
    const broker::Edit* field = nullptr; ///< of the body
    const broker::Edit* text = nullptr;  ///< of texts to the server
};

/// `placeholder` of the lease's credential; empty: it has none. Every edit has its place or the request is refused
/// with credential_misplaced: nothing is sent without the credential of its rule. Refused as credential_unavailable is
/// a value that could not be told from what surrounds it there.
[[nodiscard]] Outcome<Placement> place(const RequestHead& head, const Target& target, const broker::Lease& lease,
                                       std::string_view placeholder, const WebsocketOffer* websocket);

/// Borrows from `placement`. Digests of a body that is edited are left out, and so is an Expect: the body is there.
void put_into(OutgoingRequest& request, const Placement& placement);

/// Where the value of the field goes, in a body that `head` describes: its media type, its length.
[[nodiscard]] Outcome<Ok> check_editable(const RequestHead& head, const BodyLength& length, const broker::Edit& field);
/// Fails with credential_misplaced unless the field is there once and is the placeholder.
[[nodiscard]] Outcome<Slot> find_field(std::string_view body, const broker::Edit& field, std::string_view placeholder);

} // namespace aduana::proxy
