// SPDX-License-Identifier: Apache-2.0
// Little goes in and much may come out: one step at a time, so that the client sets the pace.
#include "proxy/core/body_filter.hpp"

#include "proxy/core/grammar.hpp"

#include <algorithm>
#include <array>

namespace aduana::proxy {

namespace {

constexpr std::size_t step_size = 16 * 1024;

} // namespace

ReplacedLength replaced_length(const Fields& fields)
{
    constexpr std::array<std::string_view, 10> counting{"application/grpc",        "application/connect+",
                                                        "application/proto",       "application/protobuf",
                                                        "application/x-protobuf",  "application/vnd.google.protobuf",
                                                        "application/msgpack",     "application/x-msgpack",
                                                        "application/vnd.msgpack", "application/cbor"};
    const auto type = fields.find("Content-Type").value_or("");
    const bool counts = std::ranges::any_of(
        counting, [type](std::string_view prefix) { return same_name(type.substr(0, prefix.size()), prefix); });
    return counts ? ReplacedLength::kept : ReplacedLength::own;
}

BodyFilter::BodyFilter(ContentCoding coding, const ScrubSet& set, ReplacedLength length) : scrubber_(set, length)
{
    if (coding == ContentCoding::identity)
        return;
    decoder_.emplace(coding);
    decoded_.resize(step_size);
}

BodyFilter::State BodyFilter::next(std::string_view& in, Last last, std::string& out)
{
    auto decoded = in;
    auto state = State::fed;
    if (decoder_)
        state = decode(in, decoded);
    else
        in = {};
    if (state == State::failed)
        return state;
    scrubber_.feed(decoded, out);
    if (state == State::again || last == Last::no)
        return state;
    if (decoder_ && !decoder_->complete()) {
        why_ = "the coded body ends too early";
        return State::failed;
    }
    scrubber_.finish(out);
    return State::fed;
}

BodyFilter::State BodyFilter::decode(std::string_view& in, std::string_view& decoded)
{
    if (!decoder_)
        return State::failed;
    const auto step = decoder_->next(in, decoded_);
    why_ = decoder_->why();
    in.remove_prefix(step.consumed);
    decoded = {decoded_.data(), step.produced};
    if (step.failed)
        return State::failed;
    if (step.produced == decoded_.size())
        return State::again;
    if (in.empty())
        return State::fed;
    const bool stuck = step.consumed == 0 && step.produced == 0;
    return stuck ? State::failed : State::again;
}

} // namespace aduana::proxy
