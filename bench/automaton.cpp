// SPDX-License-Identifier: Apache-2.0
// The trie, its failure links, and the search for the leftmost longest match.
#include "bench/automaton.hpp"

#include <algorithm>

namespace aduana::bench {

namespace {

constexpr std::size_t longest_block = 32;

/// A match that ends later wins if it begins further left, or at the same byte: then it is longer.
bool beats(std::size_t start, const Automaton::Found& best)
{
    return best.end == 0 || start <= best.start;
}

} // namespace

Automaton::Automaton(const std::vector<std::string>& patterns)
{
    std::size_t most = 1;
    for (const auto& pattern : patterns)
        most += pattern.size();
    nodes_.reserve(most); // never grows: a copy left behind would not be wiped
    nodes_.emplace_back();
    for (const auto& pattern : patterns)
        add(pattern);
    link_failures();
    fill_skips(patterns);
}

Automaton::~Automaton()
{
    wipe(nodes_);
    wipe(first_);
    wipe(skips_);
}

void Automaton::add(std::string_view pattern)
{
    State state = root;
    for (const char byte : pattern) {
        State next = child(state, byte);
        if (next == root) {
            next = static_cast<State>(nodes_.size());
            nodes_.push_back(
                {.next_sibling = nodes_[state].first_child, .depth = nodes_[state].depth + 1, .byte = byte});
            nodes_[state].first_child = next;
            if (state == root)
                first_[static_cast<unsigned char>(byte)] = next;
        }
        state = next;
    }
    nodes_[state].longest_match = nodes_[state].depth;
}

void Automaton::fill_skips(const std::vector<std::string>& patterns)
{
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

std::size_t Automaton::slot(char first, char second)
{
    return (static_cast<unsigned char>(first) * 131U ^ static_cast<unsigned char>(second)) % slots;
}

Automaton::State Automaton::child(State state, char byte) const
{
    if (state == root)
        return first_[static_cast<unsigned char>(byte)];
    State next = nodes_[state].first_child;
    while (next != root && nodes_[next].byte != byte)
        next = nodes_[next].next_sibling;
    return next;
}

Automaton::State Automaton::step(State state, char byte) const
{
    State next = child(state, byte);
    while (next == root && state != root) {
        state = nodes_[state].failure;
        next = child(state, byte);
    }
    return next;
}

void Automaton::link_failures()
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

void Automaton::link_failure(State parent, State state)
{
    auto& node = nodes_[state];
    node.failure = parent == root ? root : step(nodes_[parent].failure, node.byte);
    if (node.longest_match == 0)
        node.longest_match = nodes_[node.failure].longest_match;
}

/// Stays below the window's size: a move is shorter than a block.
std::size_t Automaton::skip(std::string_view window, std::size_t at) const
{
    while (at + block_ <= window.size()) {
        const std::size_t distance = skips_[slot(window[at + block_ - 2], window[at + block_ - 1])];
        if (distance == 0)
            break;
        at += distance;
    }
    return at;
}

Automaton::Found Automaton::first_match(std::string_view window, Window kind) const
{
    State state = root;
    Found best;
    std::size_t at = 0;
    while (at < window.size()) {
        if (state == root && best.end == 0)
            at = skip(window, at);
        state = step(state, window[at++]);
        const auto& node = nodes_[state];
        if (best.end != 0 && at - node.depth > best.start)
            return best; // nothing that is still open began early enough to win
        if (node.longest_match != 0 && beats(at - node.longest_match, best))
            best = {at - node.longest_match, at};
    }
    if (kind == Window::is_last)
        return best.end != 0 ? best : Found{window.size(), 0};
    return {window.size() - nodes_[state].depth, 0};
}

} // namespace aduana::bench
