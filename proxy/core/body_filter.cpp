// SPDX-License-Identifier: Apache-2.0
// Little goes in and much may come out: one step at a time, so that the client sets the pace.
#include "proxy/core/body_filter.hpp"

namespace aduana::proxy {

namespace {

constexpr std::size_t step_size = 16 * 1024;

} // namespace

BodyFilter::BodyFilter(ContentCoding coding, const ScrubSet& set) : scrubber_(set)
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
