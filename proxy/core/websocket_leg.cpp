// SPDX-License-Identifier: Apache-2.0
// Frames are judged at their heads: what is refused has not been passed on in part.
#include "proxy/core/websocket_leg.hpp"

#include "proxy/core/slot.hpp"

namespace aduana::proxy {

WebsocketLeg WebsocketLeg::to_server(MaskSource masks, std::uint64_t limit)
{
    WebsocketLeg leg(WebsocketPeer::client, limit);
    leg.masks_ = std::move(masks);
    return leg;
}

WebsocketLeg WebsocketLeg::to_client(std::uint64_t limit)
{
    return {WebsocketPeer::server, limit};
}

WebsocketLeg WebsocketLeg::to_client(const ScrubSet& set, std::uint64_t limit)
{
    WebsocketLeg leg(WebsocketPeer::server, limit);
    leg.set_ = &set;
    leg.scrubber_.emplace(set);
    return leg;
}

void WebsocketLeg::scrub_with(const ScrubSet& set)
{
    if (!scrubber_)
        return;
    set_ = &set;
    scrubber_->use(set);
}

std::uint64_t WebsocketLeg::scrubbed() const noexcept
{
    return scrubbed_controls_ + (scrubber_ ? scrubber_->replaced() : 0);
}

const MaskKey* WebsocketLeg::next_mask()
{
    if (!masks_)
        return nullptr;
    mask_ = masks_();
    return &mask_;
}

std::optional<Violation> WebsocketLeg::pass(std::span<char> input, std::string& out)
{
    while (!input.empty()) {
        if (reader_.ended())
            return std::nullopt;
        const auto step = reader_.next(input);
        bytes_ += step.consumed;
        input = input.subspan(step.consumed);
        switch (step.kind) {
        case FrameReader::Step::Kind::more:
            break;
        case FrameReader::Step::Kind::head:
            if (const auto violation = begin(out))
                return violation;
            break;
        case FrameReader::Step::Kind::data:
            pass_data(step.payload, out);
            break;
        case FrameReader::Step::Kind::control:
            // A farewell always passes.
            if (bytes_ > limit_ && !reader_.ended())
                return Violation{CloseCode::policy_violation, "more bytes than the rule allows"};
            pass_control(step.payload, out);
            break;
        case FrameReader::Step::Kind::bad:
            return reader_.violation();
        }
    }
    return std::nullopt;
}

std::optional<Violation> WebsocketLeg::begin(std::string& out)
{
    const auto& frame = reader_.frame();
    if (frame.size > limit_)
        return Violation{CloseCode::too_big, "a frame that is larger than the rule allows"};
    if (bytes_ + frame.size > limit_)
        return Violation{CloseCode::policy_violation, "more bytes than the rule allows"};
    if (frame.opcode != Opcode::continuation) {
        kind_ = frame.opcode;
        ++messages_;
    }
    if (scrubber_) {
        if (frame.size == 0)
            pass_scrubbed({}, out);
        return std::nullopt;
    }
    if (edits())
        return std::nullopt;
    append_frame_head(out, frame, next_mask());
    open_bytes_ = frame.size;
    return std::nullopt;
}

void WebsocketLeg::pass_data(std::string_view payload, std::string& out)
{
    if (scrubber_ && !fits())
        return pass_scrubbed(payload, out);
    if (scrubber_) {
        whole_.append(payload);
        if (reader_.rest() == 0) {
            pass_scrubbed(whole_, out);
            whole_ = std::string(); // a silent connection holds no buffer
        }
        return;
    }
    if (edits())
        return pass_edited(payload, out);
    const auto before = out.size();
    out.append(payload);
    if (masks_)
        apply_mask(std::span(out).subspan(before), mask_, reader_.frame().size - open_bytes_);
    open_bytes_ -= payload.size();
}

bool WebsocketLeg::edits() const noexcept
{
    const auto& frame = reader_.frame();
    return !placeholder_.empty() && frame.opcode == Opcode::text && frame.final && frame.size != 0 && fits();
}

/// Twice in one text is not how a client says who it is: such a text goes on as it came.
void WebsocketLeg::pass_edited(std::string_view payload, std::string& out)
{
    whole_.append(payload);
    if (reader_.rest() != 0)
        return;
    const auto at = whole_.find(placeholder_);
    const bool once = at != std::string::npos && whole_.find(placeholder_, at + 1) == std::string::npos;
    if (once)
        append_masked(FilledText(whole_, {at, placeholder_.size()}, value_).reveal(), out);
    else
        append_masked(whole_, out);
    whole_ = std::string();
}

void WebsocketLeg::append_masked(std::string_view payload, std::string& out)
{
    append_frame_head(out, {Opcode::text, true, payload.size()}, next_mask());
    const auto before = out.size();
    out.append(payload);
    if (masks_)
        apply_mask(std::span(out).subspan(before), mask_, 0);
}

void WebsocketLeg::pass_scrubbed(std::string_view payload, std::string& out)
{
    if (!scrubber_)
        return;
    const bool frame_ends = reader_.rest() == 0;
    const bool message_ends = frame_ends && reader_.frame().final;
    std::string released;
    scrubber_->feed(payload, released);
    if (message_ends)
        scrubber_->finish(released);
    if (!frame_ends && released.empty())
        return;
    append_frame_head(out, {continues_ ? Opcode::continuation : kind_, message_ends, released.size()}, nullptr);
    out.append(released);
    continues_ = !message_ends;
}

void WebsocketLeg::pass_control(std::string_view payload, std::string& out)
{
    const auto opcode = reader_.frame().opcode;
    if (!scrubber_)
        return append_control(out, opcode, payload, next_mask());
    append_control(out, opcode, scrubbed_control(payload), nullptr);
}

std::string WebsocketLeg::scrubbed_control(std::string_view payload)
{
    std::string text;
    if (reader_.frame().opcode != Opcode::close || payload.size() < 2) {
        scrubbed_controls_ += set_->scrub(payload, text);
        return text;
    }
    const auto code = static_cast<unsigned char>(payload[0]) << 8 | static_cast<unsigned char>(payload[1]);
    scrubbed_controls_ += set_->scrub(payload.substr(2), text);
    return close_payload(static_cast<std::uint16_t>(code), text);
}

void WebsocketLeg::append_close(std::string& out, CloseCode code, std::string_view reason)
{
    append_control(out, Opcode::close, close_payload(static_cast<std::uint16_t>(code), reason), next_mask());
}

} // namespace aduana::proxy
