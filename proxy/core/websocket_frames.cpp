// SPDX-License-Identifier: Apache-2.0
// Heads are judged as soon as their first two bytes are there; payload of data is never kept.
#include "proxy/core/websocket_frames.hpp"

#include "certs/utf8.hpp"

#include <algorithm>
#include <cstring>

namespace aduana::proxy {

namespace {

constexpr unsigned final_bit = 0x80;
constexpr unsigned reserved_bits = 0x70;
constexpr unsigned opcode_bits = 0x0f;
constexpr unsigned mask_bit = 0x80;
constexpr unsigned length_bits = 0x7f;
constexpr unsigned two_byte_length = 126;
constexpr unsigned eight_byte_length = 127;

bool is_known(unsigned opcode)
{
    switch (static_cast<Opcode>(opcode)) {
    case Opcode::continuation:
    case Opcode::text:
    case Opcode::binary:
    case Opcode::close:
    case Opcode::ping:
    case Opcode::pong:
        return true;
    }
    return false;
}

/// RFC 6455 section 7.4 and the registry that it founds: 1004 to 1006 and 1015 stand for what is never sent.
bool is_close_code(unsigned code)
{
    if (code >= 1000 && code <= 1014)
        return code < 1004 || code > 1006;
    return code >= 3000 && code <= 4999;
}

bool is_utf8(std::string_view text)
{
    while (!text.empty()) {
        const auto point = certs::first_code_point(text);
        if (!point.valid)
            return false;
        text.remove_prefix(point.size);
    }
    return true;
}

bool is_continuation_byte(char c)
{
    return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U;
}

unsigned code_of_payload(std::string_view payload)
{
    return static_cast<unsigned>(static_cast<unsigned char>(payload[0])) << 8 | static_cast<unsigned char>(payload[1]);
}

std::size_t length_bytes(unsigned length)
{
    if (length == eight_byte_length)
        return 8;
    return length == two_byte_length ? 2 : 0;
}

} // namespace

FrameReader::Step FrameReader::next(std::span<char> input)
{
    switch (phase_) {
    case Phase::head:
        return read_head(input);
    case Phase::data:
        return read_data(input);
    case Phase::control:
        return read_control(input);
    case Phase::ended:
        return {.consumed = input.size()};
    case Phase::bad:
        break;
    }
    return {.kind = Step::Kind::bad};
}

FrameReader::Step FrameReader::fail(std::size_t consumed, CloseCode code, std::string_view detail)
{
    phase_ = Phase::bad;
    violation_ = {code, detail};
    return {.kind = Step::Kind::bad, .consumed = consumed};
}

FrameReader::Step FrameReader::read_head(std::span<char> input)
{
    std::size_t at = 0;
    while (at < input.size()) {
        head_[head_bytes_++] = input[at++];
        if (head_bytes_ == 2) {
            if (const auto fault = fault_of_start(); !fault.empty())
                return fail(at, CloseCode::protocol_error, fault);
        }
        if (head_bytes_ < 2 || head_bytes_ < head_size())
            continue;
        return head_ended(at);
    }
    return {.consumed = at};
}

FrameReader::Step FrameReader::head_ended(std::size_t consumed)
{
    if (!read_size())
        return fail(consumed, CloseCode::protocol_error, "a length that is not written in its shortest form");
    head_bytes_ = 0;
    mask_at_ = 0;
    rest_ = frame_.size;
    if (frame_.control()) {
        phase_ = Phase::control;
        return rest_ == 0 ? control_ended(consumed) : Step{.consumed = consumed};
    }
    phase_ = rest_ == 0 ? Phase::head : Phase::data;
    return {.kind = Step::Kind::head, .consumed = consumed};
}

std::string_view FrameReader::fault_of_start() const
{
    const unsigned opcode = head_byte(0) & opcode_bits;
    const bool final = (head_byte(0) & final_bit) != 0;
    const bool masked = (head_byte(1) & mask_bit) != 0;
    if ((head_byte(0) & reserved_bits) != 0)
        return "a reserved bit is set, and no extension was agreed on";
    if (!is_known(opcode))
        return "a reserved opcode";
    if (masked != (sender_ == WebsocketPeer::client))
        return masked ? "a masked frame of a server" : "a frame of a client without a mask";
    if (opcode >= 0x8) {
        if (!final)
            return "a control frame in fragments";
        return (head_byte(1) & length_bits) > max_control_payload ? "a control frame of more than 125 bytes" : "";
    }
    const bool continues = static_cast<Opcode>(opcode) == Opcode::continuation;
    if (continues != in_message_)
        return continues ? "a continuation of no message" : "a message inside another";
    return {};
}

std::size_t FrameReader::head_size() const
{
    const std::size_t mask = sender_ == WebsocketPeer::client ? mask_.size() : 0;
    return 2 + length_bytes(head_byte(1) & length_bits) + mask;
}

bool FrameReader::read_size()
{
    frame_.opcode = static_cast<Opcode>(head_byte(0) & opcode_bits);
    frame_.final = (head_byte(0) & final_bit) != 0;
    if (!frame_.control())
        in_message_ = !frame_.final;
    const unsigned length = head_byte(1) & length_bits;
    const auto extra = length_bytes(length);
    std::copy_n(head_.begin() + static_cast<std::ptrdiff_t>(2 + extra), mask_.size(), mask_.begin());
    frame_.size = extra == 0 ? length : 0;
    for (std::size_t i = 0; i < extra; ++i)
        frame_.size = frame_.size << 8 | head_byte(2 + i);
    if (extra == 2)
        return frame_.size >= two_byte_length;
    return extra == 0 || (frame_.size > 0xffff && frame_.size >> 63 == 0);
}

FrameReader::Step FrameReader::read_data(std::span<char> input)
{
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(rest_, input.size()));
    unmask(input.first(size));
    rest_ -= size;
    if (rest_ == 0)
        phase_ = Phase::head;
    return {.kind = Step::Kind::data, .consumed = size, .payload = {input.data(), size}};
}

FrameReader::Step FrameReader::read_control(std::span<char> input)
{
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(rest_, input.size()));
    unmask(input.first(size));
    std::memcpy(control_.data() + (frame_.size - rest_), input.data(), size);
    rest_ -= size;
    return rest_ == 0 ? control_ended(size) : Step{.consumed = size};
}

FrameReader::Step FrameReader::control_ended(std::size_t consumed)
{
    const std::string_view payload(control_.data(), static_cast<std::size_t>(frame_.size));
    phase_ = Phase::head;
    if (frame_.opcode == Opcode::close) {
        phase_ = Phase::ended;
        if (payload.size() == 1)
            return fail(consumed, CloseCode::protocol_error, "half a close code");
        if (!payload.empty() && !is_close_code(code_of_payload(payload)))
            return fail(consumed, CloseCode::protocol_error, "a close code that must not be sent");
        if (payload.size() > 2 && !is_utf8(payload.substr(2)))
            return fail(consumed, CloseCode::not_utf8, "a reason for closing that is not UTF-8");
    }
    return {.kind = Step::Kind::control, .consumed = consumed, .payload = payload};
}

void FrameReader::unmask(std::span<char> bytes)
{
    if (sender_ == WebsocketPeer::server)
        return;
    apply_mask(bytes, mask_, mask_at_);
    mask_at_ = (mask_at_ + bytes.size()) % mask_.size();
}

void append_frame_head(std::string& out, const FrameHead& head, const MaskKey* mask)
{
    out.push_back(static_cast<char>((head.final ? final_bit : 0U) | static_cast<unsigned>(head.opcode)));
    auto length = static_cast<unsigned>(head.size);
    if (head.size > 0xffff)
        length = eight_byte_length;
    else if (head.size >= two_byte_length)
        length = two_byte_length;
    out.push_back(static_cast<char>((mask ? mask_bit : 0U) | length));
    for (std::size_t i = length_bytes(length); i > 0; --i)
        out.push_back(static_cast<char>(head.size >> (8 * (i - 1)) & 0xff));
    if (mask)
        out.append(mask->data(), mask->size());
}

void apply_mask(std::span<char> bytes, MaskKey mask, std::uint64_t offset)
{
    std::rotate(mask.begin(), mask.begin() + static_cast<std::ptrdiff_t>(offset % mask.size()), mask.end());
    std::array<char, 8> twice;
    std::copy(mask.begin(), mask.end(), twice.begin());
    std::copy(mask.begin(), mask.end(), twice.begin() + mask.size());
    std::uint64_t wide = 0;
    std::memcpy(&wide, twice.data(), sizeof(wide));
    std::size_t at = 0;
    for (; at + sizeof(wide) <= bytes.size(); at += sizeof(wide)) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data() + at, sizeof(word));
        word ^= wide;
        std::memcpy(bytes.data() + at, &word, sizeof(word));
    }
    for (; at < bytes.size(); ++at)
        bytes[at] = static_cast<char>(bytes[at] ^ mask[at % mask.size()]);
}

void append_control(std::string& out, Opcode opcode, std::string_view payload, const MaskKey* mask)
{
    payload = payload.substr(0, max_control_payload);
    append_frame_head(out, {opcode, true, payload.size()}, mask);
    const auto before = out.size();
    out.append(payload);
    if (mask)
        apply_mask(std::span(out).subspan(before), *mask, 0);
}

std::string close_payload(std::uint16_t code, std::string_view reason)
{
    auto size = std::min(reason.size(), max_control_payload - 2);
    while (size > 0 && size < reason.size() && is_continuation_byte(reason[size]))
        --size;
    std::string payload{static_cast<char>(code >> 8), static_cast<char>(code & 0xff)};
    return payload.append(reason.substr(0, size));
}

} // namespace aduana::proxy
