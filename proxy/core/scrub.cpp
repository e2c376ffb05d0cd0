// SPDX-License-Identifier: Apache-2.0
// Aho-Corasick over bytes, with a Wu-Manber skip in front of it for the bytes that cannot begin a match.
//
//   window ─▶ skip ─▶ automaton ─┬─ match that nothing longer or further left can beat ─▶ replace, go on behind it
//              ▲                 ├─ end of the window: hold back the bytes of the automaton's state
//              └──── root ◀──────┘
//
// Why a trie with failure links and no table of all transitions: the table would be a hundred times the size of the
// secrets, for every task, and the automaton runs only where the skip has stopped.
#include "proxy/core/scrub.hpp"

#include <algorithm>
#include <array>

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

struct ScrubSet::Automaton {
    using State = std::uint32_t;
    static constexpr State root = 0;

    /// Children of a node are a linked list: behind the first few bytes of a pattern there is one at most.
    struct Node {
        State first_child = root;
        State next_sibling = root;
        State failure = root;
        std::uint32_t depth = 0;
        std::uint32_t longest_match = 0; ///< length of the longest pattern that ends here, or 0
        char byte = '\0';
    };

    /// What the next match is, or how much of the window may go.
    struct Found {
        std::size_t start = 0; ///< bytes before it hold no part of any match
        std::size_t end = 0;   ///< 0: no match (yet)
    };

    explicit Automaton(std::size_t pattern_bytes)
    {
        nodes_.reserve(pattern_bytes + 1); // never grows: a copy left behind would not be wiped
        nodes_.emplace_back();
    }
    Automaton(const Automaton&) = delete;
    Automaton& operator=(const Automaton&) = delete;
    ~Automaton()
    {
        wipe(nodes_);
        wipe(skips_);
    }

    void add(std::string_view pattern);
    void finish(const std::vector<std::string>& patterns);
    /// The leftmost longest match. Without `is_last` a match that more bytes could change is not reported.
    [[nodiscard]] Found first_match(std::string_view window, bool is_last) const;

private:
    [[nodiscard]] State child(State state, char byte) const;
    [[nodiscard]] State step(State state, char byte) const;
    void link_failures();
    void link_failure(State parent, State state);
    [[nodiscard]] std::size_t skip(std::string_view window, std::size_t at) const;
    static std::size_t slot(char first, char second)
    {
        return (static_cast<unsigned char>(first) * 37U ^ static_cast<unsigned char>(second)) % slots;
    }

    static constexpr std::size_t slots = 4096;
    std::vector<Node> nodes_;
    std::size_t block_ = 0;                  ///< bytes of every pattern's start that `skips_` knows
    std::array<std::uint8_t, slots> skips_{}; ///< by the last two bytes of a block: how far to move on; 0: look closer
};

void ScrubSet::Automaton::add(std::string_view pattern)
{
    State state = root;
    for (const char byte : pattern) {
        State next = child(state, byte);
        if (next == root) {
            next = static_cast<State>(nodes_.size());
            nodes_.push_back({.next_sibling = nodes_[state].first_child, .depth = nodes_[state].depth + 1, .byte = byte});
            nodes_[state].first_child = next;
        }
        state = next;
    }
    nodes_[state].longest_match = nodes_[state].depth;
}

/// Call once, after all patterns were added.
void ScrubSet::Automaton::finish(const std::vector<std::string>& patterns)
{
    link_failures();
    constexpr std::size_t longest_block = 32;
    block_ = longest_block;
    for (const auto& pattern : patterns)
        block_ = std::min(block_, pattern.size());
    skips_.fill(static_cast<std::uint8_t>(block_ - 1));
    for (const auto& pattern : patterns) {
        for (std::size_t at = 0; at + 2 <= block_; ++at) {
            auto& entry = skips_[slot(pattern[at], pattern[at + 1])];
            entry = std::min(entry, static_cast<std::uint8_t>(block_ - 2 - at));
        }
    }
}

ScrubSet::Automaton::State ScrubSet::Automaton::child(State state, char byte) const
{
    State next = nodes_[state].first_child;
    while (next != root && nodes_[next].byte != byte)
        next = nodes_[next].next_sibling;
    return next;
}

ScrubSet::Automaton::State ScrubSet::Automaton::step(State state, char byte) const
{
    State next = child(state, byte);
    while (next == root && state != root) {
        state = nodes_[state].failure;
        next = child(state, byte);
    }
    return next;
}

void ScrubSet::Automaton::link_failures()
{
    std::vector<State> queue{root};
    for (std::size_t at = 0; at < queue.size(); ++at) {
        const State parent = queue[at];
        for (State state = nodes_[parent].first_child; state != root; state = nodes_[state].next_sibling) {
            link_failure(parent, state);
            queue.push_back(state);
        }
    }
}

void ScrubSet::Automaton::link_failure(State parent, State state)
{
    auto& node = nodes_[state];
    node.failure = parent == root ? root : step(nodes_[parent].failure, node.byte);
    if (node.longest_match == 0)
        node.longest_match = nodes_[node.failure].longest_match;
}

std::size_t ScrubSet::Automaton::skip(std::string_view window, std::size_t at) const
{
    while (at + block_ <= window.size()) {
        const std::size_t distance = skips_[slot(window[at + block_ - 2], window[at + block_ - 1])];
        if (distance == 0)
            break;
        at += distance;
    }
    return at;
}

ScrubSet::Automaton::Found ScrubSet::Automaton::first_match(std::string_view window, bool is_last) const
{
    State state = root;
    Found best;
    std::size_t at = 0;
    while (at < window.size()) {
        if (state == root && best.end == 0) {
            at = skip(window, at);
            if (at >= window.size())
                break;
        }
        state = step(state, window[at++]);
        const auto& node = nodes_[state];
        if (best.end != 0 && at - node.depth > best.start)
            return best; // nothing that is still open began early enough to win
        if (node.longest_match != 0 && (best.end == 0 || at - node.longest_match <= best.start))
            best = {at - node.longest_match, at};
    }
    if (best.end != 0 && is_last)
        return best;
    return {window.size() - (is_last ? 0 : nodes_[state].depth), 0};
}

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
    std::size_t total = 0;
    for (const auto& pattern : patterns)
        total += pattern.size();
    set.automaton_ = std::make_unique<Automaton>(total);
    for (const auto& pattern : patterns)
        set.automaton_->add(pattern);
    set.automaton_->finish(patterns);
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
        const auto found = automaton_->first_match(in, true);
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
    if (set_.empty()) {
        out.append(in);
        return;
    }
    std::string joined;
    if (!held_.empty()) {
        joined.reserve(held_.size() + in.size());
        joined.append(held_).append(in);
        in = joined;
    }
    while (true) {
        const auto found = set_.automaton_->first_match(in, false);
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
    replaced_ += set_.scrub(held_, out);
    held_.clear();
}

} // namespace aduana::proxy
