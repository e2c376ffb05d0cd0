// SPDX-License-Identifier: Apache-2.0
// llhttp with every lenient flag off, between two checks of our own: lines before it, meaning after it.
//
//   bytes ─▶ lines_are_clean ─▶ start line ─▶ llhttp ─▶ fields as views ─▶ head_rules ─▶ head
//
// Why three steps: llhttp alone takes bare line feeds after a status line, spaces in names and folded values in some
// builds, and knows a fixed list of methods; we alone would be the only reader of the grammar.
#include "proxy/core/head_parser.hpp"

#include "proxy/core/grammar.hpp"
#include "proxy/core/head_rules.hpp"

#include <algorithm>
#include <llhttp.h>

namespace aduana::proxy {

HeadScanner::State HeadScanner::scan(std::string_view buffer)
{
    const auto window = buffer.substr(0, max_head);
    while (scanned_ < window.size()) {
        const auto fresh = window.substr(scanned_);
        const auto feed = fresh.find('\n');
        const auto line = fresh.substr(0, feed == std::string_view::npos ? fresh.size() : feed + 1);
        if (line.find('\0') != std::string_view::npos)
            return State::invalid;
        scanned_ += line.size();
        if (feed == std::string_view::npos)
            break;
        const auto seen = window.substr(0, scanned_);
        if (!seen.ends_with("\r\n") || seen.size() == 2)
            return State::invalid;
        if (seen.ends_with("\r\n\r\n")) {
            end_ = scanned_;
            return State::complete;
        }
    }
    return buffer.size() >= max_head ? State::too_large : State::need_more;
}

namespace {

using policy::Reason;

constexpr std::size_t max_method = 32;
constexpr std::string_view crlf = "\r\n";

Failure invalid(Party party, std::string_view detail)
{
    return {Reason::framing_invalid, party, std::string(detail)};
}

/// Every line ends in CRLF, none is folded (RFC 9112 section 5.2), none holds a control byte, and the only empty line
/// is the last. From here on all bytes are printable, blanks, obs-text or proper line ends.
bool lines_are_clean(std::string_view bytes)
{
    bool last_was_empty = false;
    while (!bytes.empty() && !last_was_empty) {
        const auto end = bytes.find('\r');
        if (end == std::string_view::npos || bytes.substr(end, 2) != crlf)
            return false;
        const auto line = bytes.substr(0, end);
        if (!is_field_value(line) || (!line.empty() && is_blank(line.front())))
            return false;
        last_was_empty = line.empty();
        bytes.remove_prefix(end + 2);
    }
    return last_was_empty && bytes.empty();
}

struct Collected {
    Fields& fields;
    std::string_view name{};
    std::string_view value{};
    std::string_view reason_phrase{};
    unsigned spans = 0; ///< a name or value in two spans is a form that has no single view
    bool too_many = false;
};

Collected& collected(llhttp_t* parser)
{
    return *static_cast<Collected*>(parser->data);
}

int on_status(llhttp_t* parser, const char* at, std::size_t size)
{
    collected(parser).reason_phrase = {at, size};
    return HPE_OK;
}

int on_name(llhttp_t* parser, const char* at, std::size_t size)
{
    auto& state = collected(parser);
    state.name = {at, size};
    state.value = {};
    state.spans = 1;
    return HPE_OK;
}

int on_value(llhttp_t* parser, const char* at, std::size_t size)
{
    auto& state = collected(parser);
    state.value = {at, size};
    return ++state.spans > 2 ? HPE_USER : HPE_OK;
}

int on_field(llhttp_t* parser)
{
    auto& state = collected(parser);
    state.too_many = state.fields.size() == max_fields;
    if (state.too_many)
        return HPE_USER;
    state.fields.add(state.name, trim(state.value));
    return HPE_OK;
}

/// Stops here: what follows the head is not llhttp's.
int on_end_of_head(llhttp_t*)
{
    return HPE_PAUSED;
}

const llhttp_settings_t& settings()
{
    static const llhttp_settings_t shared = [] {
        llhttp_settings_t made;
        llhttp_settings_init(&made);
        made.on_status = on_status;
        made.on_header_field = on_name;
        made.on_header_value = on_value;
        made.on_header_value_complete = on_field;
        made.on_headers_complete = on_end_of_head;
        return made;
    }();
    return shared;
}

/// Feeds `prefix`, then `bytes`. Empty if llhttp took them for one head that ends with `bytes`, else its reason: a
/// fixed text that holds none of them.
std::string_view fault_of_grammar(llhttp_type_t type, std::string_view prefix, std::string_view bytes, Collected& into)
{
    llhttp_t parser;
    llhttp_init(&parser, type, &settings());
    parser.data = &into;
    auto status = llhttp_execute(&parser, prefix.data(), prefix.size());
    if (status == HPE_OK)
        status = llhttp_execute(&parser, bytes.data(), bytes.size());
    if (status == HPE_PAUSED && llhttp_get_error_pos(&parser) == bytes.data() + bytes.size())
        return {};
    const char* reason = llhttp_get_error_reason(&parser);
    return status == HPE_OK || status == HPE_PAUSED || !reason ? "the head ends at another place" : reason;
}

std::optional<unsigned> minor_version_of(std::string_view text)
{
    if (text == "HTTP/1.1")
        return 1;
    return text == "HTTP/1.0" ? std::optional(0U) : std::nullopt;
}

bool is_target_char(char c)
{
    return c > 0x20 && c < 0x7f;
}

/// "METHOD SP target SP version": exactly these, with exactly these blanks (RFC 9112 section 3).
bool read_request_line(std::string_view line, RequestHead& head)
{
    const auto first = line.find(' ');
    const auto last = line.rfind(' ');
    if (first == std::string_view::npos || first == last)
        return false;
    head.method = line.substr(0, first);
    head.target = line.substr(first + 1, last - first - 1);
    const auto version = minor_version_of(line.substr(last + 1));
    if (!version || head.method.size() > max_method || !is_token(head.method) || head.target.empty())
        return false;
    head.minor_version = *version;
    return std::all_of(head.target.begin(), head.target.end(), is_target_char);
}

/// "HTTP/1.x SP 3DIGIT [SP reason]" (RFC 9112 section 4); servers do leave out the last blank.
bool read_status_line(std::string_view line, ResponseHead& head)
{
    const auto version = minor_version_of(line.substr(0, 8));
    if (!version || line.size() < 12 || line[8] != ' ' || (line.size() > 12 && line[12] != ' '))
        return false;
    const auto digits = line.substr(9, 3);
    if (!std::all_of(digits.begin(), digits.end(), is_digit))
        return false;
    head.minor_version = *version;
    head.status = (digits[0] - '0') * 100 + (digits[1] - '0') * 10 + (digits[2] - '0');
    return head.status >= 100 && head.status <= 599;
}

} // namespace

Outcome<RequestHead> parse_request_head(std::string_view bytes)
{
    if (bytes.size() > max_head)
        return Failure{Reason::head_too_large, Party::client, "the request head is longer than 64 KiB"};
    if (!lines_are_clean(bytes))
        return invalid(Party::client, "the request head has a bad line end, a folded line or a control byte");
    RequestHead head;
    if (!read_request_line(bytes.substr(0, bytes.find(crlf)), head))
        return invalid(Party::client, "the request line is not \"METHOD target HTTP/1.1\"");

    // llhttp refuses methods that it does not know; ours is checked already, and only CONNECT changes its grammar.
    const std::string_view stand_in = head.method == "CONNECT" ? "CONNECT" : "POST";
    Collected state{head.fields};
    const auto grammar = fault_of_grammar(HTTP_REQUEST, stand_in, bytes.substr(head.method.size()), state);
    if (state.too_many)
        return Failure{Reason::head_too_large, Party::client, "the request head has more than 200 fields"};
    if (!grammar.empty())
        return invalid(Party::client, "the request head is not valid HTTP/1.1: " + std::string(grammar));
    if (const auto fault = fault_of(head); !fault.empty())
        return invalid(Party::client, fault);
    return head;
}

Outcome<ResponseHead> parse_response_head(std::string_view bytes, Switching switching)
{
    if (bytes.size() > max_head)
        return Failure{Reason::head_too_large, Party::upstream, "the response head is longer than 64 KiB"};
    if (!lines_are_clean(bytes))
        return invalid(Party::upstream, "the response head has a bad line end, a folded line or a control byte");
    ResponseHead head;
    const bool readable = read_status_line(bytes.substr(0, bytes.find(crlf)), head);
    if (!readable || (head.status == 101 && switching == Switching::refused))
        return invalid(Party::upstream, "the status line is not \"HTTP/1.1 STATUS reason\" with a status to pass on");

    Collected state{head.fields};
    const auto grammar = fault_of_grammar(HTTP_RESPONSE, {}, bytes, state);
    if (state.too_many)
        return Failure{Reason::head_too_large, Party::upstream, "the response head has more than 200 fields"};
    if (!grammar.empty())
        return invalid(Party::upstream, "the response head is not valid HTTP/1.1: " + std::string(grammar));
    head.reason_phrase = trim(state.reason_phrase);
    if (const auto fault = fault_of(head); !fault.empty())
        return invalid(Party::upstream, fault);
    return head;
}

} // namespace aduana::proxy
