// SPDX-License-Identifier: Apache-2.0
// Body lengths and the chunked coding.
//
//   size ─┬─ CR ──▶ size_lf ─┬─ size > 0 ─▶ data ─▶ data_cr ─▶ data_lf ─▶ size
//         └─ ";" ▶ extension ┘─ size = 0 ─▶ trailer ─ empty line ─▶ done
//                   │ ▲
//                   ▼ │ (a quoted string: line ends in it are refused, not taken for the end of the line)
//                  quoted
#include "proxy/core/body.hpp"

#include "proxy/core/grammar.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace aduana::proxy {

namespace {

constexpr unsigned max_size_digits = 16;
constexpr std::uint32_t max_extension_bytes = 4 * 1024; ///< of one body: they carry nothing that we pass on
constexpr std::uint32_t max_trailer_bytes = 8 * 1024;

BodyLength counted(std::string_view value)
{
    BodyLength length{BodyLength::Kind::counted, 0};
    std::from_chars(value.data(), value.data() + value.size(), length.size);
    return length;
}

int hex_value(char c)
{
    if (is_digit(c))
        return c - '0';
    const char lower = ascii_lower(c);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

} // namespace

BodyLength body_of(const RequestHead& head)
{
    if (head.fields.count("Transfer-Encoding") != 0)
        return {BodyLength::Kind::chunked, 0};
    const auto length = head.fields.find("Content-Length");
    return length ? BodyLength(counted(*length)) : BodyLength{};
}

BodyLength body_of(const ResponseHead& head, std::string_view request_method)
{
    const bool tunnel = request_method == "CONNECT" && head.status >= 200 && head.status < 300;
    if (request_method == "HEAD" || tunnel || head.status < 200 || head.status == 204 || head.status == 304)
        return {};
    if (head.fields.count("Transfer-Encoding") != 0)
        return {BodyLength::Kind::chunked, 0};
    const auto length = head.fields.find("Content-Length");
    return length ? counted(*length) : BodyLength{BodyLength::Kind::until_close, 0};
}

BodyReader::BodyReader(BodyLength length) : rest_(length.size)
{
    switch (length.kind) {
    case BodyLength::Kind::none:
        phase_ = Phase::done;
        return;
    case BodyLength::Kind::counted:
        phase_ = length.size == 0 ? Phase::done : Phase::counted;
        return;
    case BodyLength::Kind::chunked:
        phase_ = Phase::size;
        return;
    case BodyLength::Kind::until_close:
        phase_ = Phase::until_close;
        return;
    }
}

bool BodyReader::ended() const noexcept
{
    return phase_ == Phase::done;
}

bool BodyReader::end_of_stream()
{
    if (phase_ == Phase::until_close)
        phase_ = Phase::done;
    return ended();
}

BodyReader::Step BodyReader::next(std::string_view input)
{
    switch (phase_) {
    case Phase::done:
        return {.ended = true};
    case Phase::bad:
        return {.invalid = true};
    case Phase::until_close:
        return {.consumed = input.size(), .payload = input};
    case Phase::counted: {
        const auto payload = take(input);
        if (rest_ == 0)
            phase_ = Phase::done;
        return {.consumed = payload.size(), .payload = payload, .ended = ended()};
    }
    default:
        return chunked(input);
    }
}

std::string_view BodyReader::take(std::string_view input)
{
    const auto payload = input.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(rest_, input.size())));
    rest_ -= payload.size();
    return payload;
}

BodyReader::Step BodyReader::chunked(std::string_view input)
{
    std::size_t at = 0;
    while (at < input.size() && phase_ != Phase::done && phase_ != Phase::bad) {
        if (phase_ == Phase::data) {
            const auto payload = take(input.substr(at));
            if (rest_ == 0)
                phase_ = Phase::data_cr;
            return {.consumed = at + payload.size(), .payload = payload};
        }
        phase_ = after(input[at++]);
    }
    return {.consumed = at, .ended = phase_ == Phase::done, .invalid = phase_ == Phase::bad};
}

BodyReader::Phase BodyReader::after(char c)
{
    switch (phase_) {
    case Phase::size:
        return after_size(c);
    case Phase::size_lf:
        digits_ = 0;
        if (c != '\n')
            return Phase::bad;
        return rest_ == 0 ? Phase::trailer : Phase::data;
    case Phase::extension:
    case Phase::quoted:
    case Phase::quoted_pair:
        return ++extension_bytes_ > max_extension_bytes ? Phase::bad : after_extension(c);
    case Phase::data_cr:
        return c == '\r' ? Phase::data_lf : Phase::bad;
    case Phase::data_lf:
        return c == '\n' ? Phase::size : Phase::bad;
    case Phase::trailer:
        return after_trailer(c);
    default:
        return Phase::bad;
    }
}

BodyReader::Phase BodyReader::after_size(char c)
{
    const int value = hex_value(c);
    if (value >= 0) {
        rest_ = rest_ << 4 | static_cast<unsigned>(value);
        return ++digits_ > max_size_digits ? Phase::bad : Phase::size;
    }
    if (digits_ == 0)
        return Phase::bad;
    if (c == ';')
        return Phase::extension;
    return c == '\r' ? Phase::size_lf : Phase::bad;
}

BodyReader::Phase BodyReader::after_extension(char c)
{
    if (phase_ == Phase::quoted_pair)
        return is_field_value_char(c) ? Phase::quoted : Phase::bad;
    if (phase_ == Phase::quoted) {
        if (c == '"')
            return Phase::extension;
        if (c == '\\')
            return Phase::quoted_pair;
        return is_field_value_char(c) ? Phase::quoted : Phase::bad;
    }
    if (c == '\r')
        return Phase::size_lf;
    if (c == '"')
        return Phase::quoted;
    return is_token_char(c) || is_blank(c) || c == '=' || c == ';' ? Phase::extension : Phase::bad;
}

BodyReader::Phase BodyReader::after_trailer(char c)
{
    if (++trailer_bytes_ > max_trailer_bytes)
        return Phase::bad;
    trailer_.push_back(c);
    if (c != '\n')
        return Phase::trailer;
    if (!trailer_.ends_with("\r\n"))
        return Phase::bad;
    trailer_.resize(trailer_.size() - 2);
    if (trailer_.empty())
        return Phase::done;
    const bool valid = keep_trailer(trailer_);
    trailer_.clear();
    return valid ? Phase::trailer : Phase::bad;
}

bool BodyReader::keep_trailer(std::string_view line)
{
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || !is_token(line.substr(0, colon)) || !is_field_value(line.substr(colon + 1)))
        return false;
    trailers_.add(line.substr(0, colon), trim(line.substr(colon + 1)));
    return true;
}

void append_chunk_head(std::string& out, std::size_t payload_size)
{
    std::array<char, 2 * sizeof(payload_size)> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), payload_size, 16).ptr;
    out.append(digits.data(), end);
    out.append("\r\n");
}

} // namespace aduana::proxy
