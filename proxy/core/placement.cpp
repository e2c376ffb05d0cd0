// SPDX-License-Identifier: Apache-2.0
// One function for each surface. Values come checked by the broker and are checked again: one byte too many would make
// another parameter, another path or another cookie of them.
#include "proxy/core/placement.hpp"

#include "policy/path.hpp"
#include "policy/quote.hpp"
#include "proxy/core/basic.hpp"
#include "proxy/core/cookies.hpp"
#include "proxy/core/grammar.hpp"
#include "proxy/core/json_member.hpp"
#include "proxy/core/parameters.hpp"
#include "proxy/core/path_segment.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace aduana::proxy {

namespace {

using broker::Edit;
using broker::EditOp;
using policy::Reason;

Failure misplaced(std::string detail)
{
    return {Reason::credential_misplaced, Party::client, std::move(detail)};
}

bool holds_only(std::string_view value, std::string_view others)
{
    return !value.empty() && std::all_of(value.begin(), value.end(), [others](char c) {
        return is_alpha(c) || is_digit(c) || others.find(c) != std::string_view::npos;
    });
}

/// Of a JSON string: visible ASCII, with every quote and backslash behind a backslash.
bool is_json_escaped(std::string_view value)
{
    bool escaped = false;
    for (const char c : value) {
        const bool special = c == '"' || c == '\\';
        if (c < 0x20 || c > 0x7e || (escaped && !special) || (!escaped && c == '"'))
            return false;
        escaped = !escaped && c == '\\';
    }
    return !value.empty() && !escaped;
}

bool is_fit(const Edit& edit)
{
    constexpr std::string_view marks = "-._~";
    const auto value = edit.value.reveal();
    switch (edit.op) {
    case EditOp::query:
    case EditOp::form_field:
        return holds_only(value, "-._~%") && holds_only(edit.name, marks);
    case EditOp::path:
        return holds_only(value, "-._~%!$&'()*+,=:@");
    case EditOp::json_field:
        return is_json_escaped(value) && edit.name.starts_with('/');
    case EditOp::cookie:
        return is_token(edit.name) && value.find_first_of(" \t\",;\\") == value.npos && is_field_value(value);
    case EditOp::basic_password:
        return !value.empty() && is_field_value(value);
    case EditOp::websocket_text:
        return !value.empty() && value.find_first_of("\"\\") == value.npos && is_field_value(value);
    }
    return false;
}

Outcome<Ok> place_in_query(const Edit& edit, std::string_view query, Placement& placement)
{
    const std::size_t mark = query.empty() ? 0 : 1;
    auto slot = find_parameter(query.substr(mark), edit.name);
    if (!slot)
        return slot.error();
    if (const auto& found = *slot) {
        placement.query = FilledText(query, {found->start + mark, found->size}, edit.value.reveal());
        return Ok{};
    }
    std::string longer(query.empty() ? "?" : query);
    if (longer.size() > 1 && longer.back() != '&')
        longer.push_back('&');
    longer.append(edit.name).push_back('=');
    placement.query = FilledText(longer, {longer.size(), 0}, edit.value.reveal());
    return Ok{};
}

Outcome<Ok> place_in_path(const Edit& edit, std::string_view path, std::string_view placeholder, Placement& placement)
{
    const auto slot = find_segment(path, edit.name, placeholder);
    if (!slot)
        return slot.error();
    if (policy::read_path(path) == policy::PathReading::ambiguous)
        return misplaced("its path can be read in more than one way, and to some servers another account stands in it");
    placement.path = FilledText(path, *slot, edit.value.reveal());
    if (policy::read_path(placement.path.reveal()) == policy::read_path(path))
        return Ok{};
    return Failure{Reason::credential_unavailable, Party::broker, "the credential does not fit into a path"};
}

/// The user is the client's: only what it says next to the placeholder counts.
Outcome<Ok> place_password(const Edit& edit, const Fields& fields, std::string_view placeholder, Placement& placement)
{
    const auto basic = fields.count("Authorization") == 1 ? read_basic(fields.find("Authorization").value_or(""))
                                                          : std::optional<std::string>();
    const auto sent = basic.value_or("");
    const auto user = std::string_view(sent).substr(0, sent.find(':'));
    if (!basic || sent.substr(user.size() + 1) != placeholder)
        return misplaced("it must have Authorization: Basic with the placeholder as the password");
    placement.authorization = write_basic(user, edit.value.reveal());
    return Ok{};
}

bool replaces_placeholder(EditOp op)
{
    return op != EditOp::query && op != EditOp::cookie;
}

struct Request {
    const RequestHead& head;
    const Target& target;
    std::string_view placeholder;
    const WebsocketOffer* websocket;
};

Outcome<Ok> place_one(const Edit& edit, const Request& request, Placement& placement)
{
    switch (edit.op) {
    case EditOp::query:
        return place_in_query(edit, request.target.query, placement);
    case EditOp::path:
        return place_in_path(edit, request.target.path, request.placeholder, placement);
    case EditOp::cookie:
        placement.cookies = with_cookie(request.head.fields, edit.name, edit.value.reveal());
        return Ok{};
    case EditOp::basic_password:
        return place_password(edit, request.head.fields, request.placeholder, placement);
    case EditOp::form_field:
    case EditOp::json_field:
        placement.field = &edit;
        return Ok{};
    case EditOp::websocket_text:
        placement.text = &edit;
        break;
    }
    if (request.websocket == nullptr)
        return misplaced("the credential goes into the texts of a WebSocket, and this request asks for none");
    return Ok{};
}

template <std::size_t N>
bool is_one_of(std::string_view name, const std::array<std::string_view, N>& names)
{
    return std::any_of(names.begin(), names.end(), [name](std::string_view other) { return same_slot(name, other); });
}

/// RFC 9530, RFC 1864: of the bytes that the client sent.
bool is_about_body(std::string_view name)
{
    constexpr std::array<std::string_view, 5> names{"Content-MD5", "Digest", "Repr-Digest", "Content-Digest", "Expect"};
    return is_one_of(name, names);
}

/// "application/json; charset=utf-8" without its parameters, in lower case.
std::string media_type(std::string_view value)
{
    std::string type(trim(value.substr(0, value.find(';'))));
    std::transform(type.begin(), type.end(), type.begin(), ascii_lower);
    return type;
}

bool fits_media_type(const RequestHead& head, EditOp op)
{
    if (head.fields.count("Content-Type") != 1)
        return false;
    const auto type = media_type(head.fields.find("Content-Type").value_or(""));
    if (op == EditOp::form_field)
        return type == "application/x-www-form-urlencoded";
    return type == "application/json" || (type.starts_with("application/") && type.ends_with("+json"));
}

/// What of the value, in lower case, says another charset than the one in which the body is read here: the words
/// behind "charset". Some servers look for that word alone, so it is looked for wherever it stands. Empty: nothing.
std::string other_charset(std::string_view value, EditOp op)
{
    constexpr std::string_view word = "charset";
    constexpr std::array<std::string_view, 3> fine{"=utf-8", "=utf8", "=us-ascii"};
    const auto known = std::span(fine).first(op == EditOp::form_field ? 2 : 3);
    std::string lower(value);
    std::transform(lower.begin(), lower.end(), lower.begin(), ascii_lower);
    for (auto at = lower.find(word); at != lower.npos; at = lower.find(word, at + 1)) {
        auto said = lower.substr(at + word.size());
        said.resize(std::min(said.find(';'), said.size()));
        std::string bare(trim(said));
        if (bare.size() > 2 && bare[1] == '"' && bare.ends_with('"'))
            bare = "=" + bare.substr(2, bare.size() - 3);
        if (std::find(known.begin(), known.end(), bare) == known.end())
            return std::string(word) + said;
    }
    return {};
}

bool is_encoded(const RequestHead& head)
{
    return std::any_of(head.fields.begin(), head.fields.end(), [](const Field& field) {
        return same_slot(field.name, "Content-Encoding") && !same_name(field.value, "identity");
    });
}

} // namespace

Outcome<Placement> place(const RequestHead& head, const Target& target, const broker::Lease& lease,
                         std::string_view placeholder, const WebsocketOffer* websocket)
{
    Placement placement;
    for (const auto& edit : lease.edits) {
        if (!is_fit(edit) || (placeholder.empty() && replaces_placeholder(edit.op)))
            return Failure{Reason::credential_unavailable, Party::broker, "the credential does not fit into its place"};
        const auto placed = place_one(edit, {head, target, placeholder, websocket}, placement);
        if (!placed)
            return placed.error();
    }
    return placement;
}

void put_into(OutgoingRequest& request, const Placement& placement)
{
    if (!placement.path.empty())
        request.path = placement.path.reveal();
    if (!placement.query.empty())
        request.query = placement.query.reveal();
    request.target_injected = !placement.path.empty() || !placement.query.empty();
    const bool edited = placement.field != nullptr;
    const bool cookies = !placement.cookies.empty();
    std::erase_if(request.fields, [edited, cookies](const OutgoingField& field) {
        return (edited && is_about_body(field.name)) || (cookies && same_slot(field.name, "Cookie"));
    });
    if (cookies)
        request.fields.push_back({"Cookie", placement.cookies.reveal(), true});
    if (!placement.authorization.empty())
        request.fields.push_back({"Authorization", placement.authorization.reveal(), true});
}

Outcome<Ok> check_editable(const RequestHead& head, const BodyLength& length, const Edit& field)
{
    if (!fits_media_type(head, field.op))
        return misplaced(field.op == EditOp::form_field
                             ? "the credential goes into a form, and the body is no application/x-www-form-urlencoded"
                             : "the credential goes into JSON, and the body is no application/json");
    const auto charset = other_charset(head.fields.find("Content-Type").value_or(""), field.op);
    if (!charset.empty())
        return misplaced("its Content-Type says " + policy::quoted(charset) +
                         ", in which other names could stand in the body: write it in UTF-8, and say charset=utf-8 or "
                         "none");
    if (is_encoded(head))
        return misplaced("the credential goes into its body, which is compressed");
    if (length.size > max_edited_body)
        return misplaced("the credential goes into its body, which is longer than 1 MiB");
    return Ok{};
}

Outcome<Slot> find_field(std::string_view body, const Edit& field, std::string_view placeholder)
{
    if (field.op == EditOp::json_field) {
        auto slot = find_json_string(body, field.name);
        if (slot && json_unescaped(body.substr(slot->start, slot->size)) != placeholder)
            return misplaced("the string at " + field.name + " of its JSON is not the placeholder");
        return slot;
    }
    const auto slot = find_parameter(body, field.name);
    if (!slot)
        return slot.error();
    const auto found = slot->value_or(Slot{});
    if (found.size == 0 || form_decoded(body.substr(found.start, found.size)) != placeholder)
        return misplaced("the field " + field.name + " of its form is not the placeholder");
    return found;
}

} // namespace aduana::proxy
