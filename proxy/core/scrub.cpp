// SPDX-License-Identifier: Apache-2.0
// Which byte strings betray a value, and what is done with them in a stream.
//
//   held back + new bytes ─▶ automaton ─┬─ match that nothing further left or longer can beat ─▶ replace, go on behind
//            ▲                          └─ the end ─▶ release all but the beginning of what could be a match
//            └───────────────────────────────────────────┘
#include "proxy/core/scrub.hpp"

#include "proxy/core/automaton.hpp"

namespace aduana::proxy {

namespace {

constexpr std::size_t min_value = 8;
constexpr std::string_view base64_alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view base64url_alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The base64 characters that `value` determines alone when `before` bytes (0, 1 or 2) of something else come first.
std::string encode(std::string_view value, std::size_t before, std::string_view alphabet)
{
    const std::size_t end_bit = (before + value.size()) * 8;
    std::string out;
    out.reserve(value.size() * 4 / 3 + 1);
    for (std::size_t bit = (before * 8 + 5) / 6 * 6; bit + 6 <= end_bit; bit += 6) {
        const std::size_t at = bit / 8 - before;
        const auto high = static_cast<unsigned char>(value[at]);
        const auto low = static_cast<unsigned char>(at + 1 < value.size() ? value[at + 1] : 0);
        out.push_back(alphabet[((high << 8 | low) >> (10 - bit % 8)) & 0x3f]);
    }
    return out;
}

} // namespace

ScrubSet::ScrubSet() = default;
ScrubSet::ScrubSet(ScrubSet&&) noexcept = default;
ScrubSet& ScrubSet::operator=(ScrubSet&&) noexcept = default;
ScrubSet::~ScrubSet() = default;

ScrubSet ScrubSet::of(const std::vector<const Secret*>& values)
{
    std::vector<std::string> patterns;
    for (const Secret* value : values) {
        const auto bytes = value->reveal();
        if (bytes.size() < min_value)
            continue;
        patterns.emplace_back(bytes);
        for (const std::size_t before : {0U, 1U, 2U}) {
            patterns.push_back(encode(bytes, before, base64_alphabet));
            patterns.push_back(encode(bytes, before, base64url_alphabet));
        }
    }
    ScrubSet set;
    if (patterns.empty())
        return set;
    set.automaton_ = std::make_unique<const Automaton>(patterns);
    for (auto& pattern : patterns)
        wipe(pattern);
    return set;
}

bool ScrubSet::empty() const noexcept
{
    return !automaton_;
}

std::uint64_t ScrubSet::scrub(std::string_view in, std::string& out) const
{
    if (!automaton_) {
        out.append(in);
        return 0;
    }
    std::uint64_t replaced = 0;
    while (true) {
        const auto found = automaton_->first_match(in, Automaton::Window::is_last);
        out.append(in.substr(0, found.start));
        if (found.end == 0)
            return replaced;
        out.append(scrubbed_text);
        ++replaced;
        in.remove_prefix(found.end);
    }
}

void Scrubber::feed(std::string_view in, std::string& out)
{
    std::string joined;
    if (!held_.empty()) {
        joined.reserve(held_.size() + in.size());
        joined.append(held_).append(in);
        in = joined;
        held_.clear();
    }
    if (set_->empty()) {
        out.append(in);
        return;
    }
    while (true) {
        const auto found = set_->automaton_->first_match(in, Automaton::Window::more_follows);
        out.append(in.substr(0, found.start));
        if (found.end == 0) {
            held_.assign(in.substr(found.start));
            return;
        }
        out.append(scrubbed_text);
        ++replaced_;
        in.remove_prefix(found.end);
    }
}

void Scrubber::finish(std::string& out)
{
    replaced_ += set_->scrub(held_, out);
    held_.clear();
}

} // namespace aduana::proxy
