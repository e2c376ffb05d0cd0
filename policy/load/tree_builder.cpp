// SPDX-License-Identifier: Apache-2.0
// One event after the other; a stack of open lists and mappings.
#include "policy/load/tree_builder.hpp"

#include "policy/load/characters.hpp"

#include <yaml-cpp/mark.h>

#include <algorithm>
#include <utility>

namespace aduana::policy::load {

namespace {

// The deepest legal value: credentials > name > destinations > entry > hosts, and a little room.
constexpr std::size_t deepest_level = 8;

} // namespace

Place TreeBuilder::place_of(const YAML::Mark& mark) const
{
    if (mark.is_null())
        return {};
    // Errors at the end of the file can be marked behind it.
    const auto offset = std::min(static_cast<std::size_t>(std::max(mark.pos, 0)), text_.size());
    return mistakes_.place_of(offset);
}

/// yaml-cpp marks a missing entry at the token that follows; this is the dash, comma or bracket that it follows.
Place TreeBuilder::place_before(const YAML::Mark& mark) const
{
    const auto offset = std::min(static_cast<std::size_t>(std::max(mark.pos, 0)), text_.size());
    const auto before = offset == 0 ? text_.npos : text_.find_last_not_of(" \r\n", offset - 1);
    return mistakes_.place_of(before == text_.npos ? 0 : before);
}

void TreeBuilder::OnDocumentStart(const YAML::Mark& mark)
{
    if (++documents_ == 2)
        mistakes_.add(place_of(mark), Mistake::second_document);
}

void TreeBuilder::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor)
{
    check_properties(mark, {}, anchor);
    const auto rest = text_.substr(mistakes_.offset_of(place_of(mark)));
    const bool written = !rest.empty() && std::string_view("~nN").find(rest.front()) != std::string_view::npos;
    Node node;
    node.place = written ? place_of(mark) : place_before(mark);
    attach(std::move(node));
}

void TreeBuilder::OnAlias(const YAML::Mark& mark, YAML::anchor_t)
{
    if (levels_too_deep_ == 0 && documents_ < 2)
        mistakes_.add(place_of(mark), Mistake::alias);
    Node node;
    node.kind = Node::Kind::unusable;
    node.place = place_of(mark);
    attach(std::move(node));
}

void TreeBuilder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                           const std::string& value)
{
    check_properties(mark, tag, anchor);
    Node node;
    node.kind = Node::Kind::scalar;
    node.place = place_of(mark);
    node.text = value;
    if (value.find('\0') != value.npos) {
        mistakes_.add(node.place, Mistake::nul_in_text);
        node.kind = Node::Kind::unusable;
    }
    attach(std::move(node));
}

void TreeBuilder::OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                                  YAML::EmitterStyle::value)
{
    check_properties(mark, tag, anchor);
    open(Node::Kind::sequence, mark);
}

void TreeBuilder::OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                             YAML::EmitterStyle::value)
{
    check_properties(mark, tag, anchor);
    open(Node::Kind::mapping, mark);
}

void TreeBuilder::check_properties(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor)
{
    last_place_ = place_of(mark);
    if (levels_too_deep_ > 0 || documents_ > 1)
        return;
    if (anchor != 0)
        mistakes_.add(last_place_, Mistake::anchor);
    // yaml-cpp makes up "?" for plain and "!" for quoted scalars; a "!" that somebody wrote stands in the text.
    const bool made_up = tag.empty() || tag == "?" || tag == "!";
    if (!made_up || text_.substr(mistakes_.offset_of(last_place_)).starts_with('!'))
        mistakes_.add(last_place_, Mistake::tag);
}

void TreeBuilder::open(Node::Kind kind, const YAML::Mark& mark)
{
    if (levels_.size() == deepest_level && levels_too_deep_++ == 0 && documents_ < 2)
        mistakes_.add(place_of(mark), Mistake::too_deep);
    if (levels_too_deep_ > 0)
        return;
    auto& level = levels_.emplace_back();
    level.node.kind = kind;
    level.node.place = place_of(mark);
}

void TreeBuilder::close()
{
    Node node;
    if (levels_too_deep_ > 0) {
        if (--levels_too_deep_ > 0)
            return;
        node.kind = Node::Kind::unusable;
    } else {
        node = std::move(levels_.back().node);
        levels_.pop_back();
    }
    attach(std::move(node));
}

void TreeBuilder::attach(Node node)
{
    if (levels_too_deep_ > 0)
        return;
    if (levels_.empty()) {
        if (documents_ < 2)
            root_ = std::move(node);
        return;
    }
    auto& level = levels_.back();
    if (level.node.kind == Node::Kind::sequence) {
        level.node.items.push_back(std::move(node));
        return;
    }
    if (!level.key) {
        take_key(level, node);
        return;
    }
    const Key key = std::move(*level.key);
    level.key.reset();
    if (node.kind == Node::Kind::empty)
        node.place = key.place;
    if (key.usable)
        level.node.entries.push_back({key.text, key.place, std::move(node)});
}

void TreeBuilder::take_key(Level& level, const Node& node)
{
    auto& key = level.key.emplace(Key{node.text, node.place, node.kind == Node::Kind::scalar});
    if (documents_ > 1 || node.kind == Node::Kind::unusable)
        return;
    if (!key.usable) {
        mistakes_.add(node.place, Mistake::key_not_text);
        return;
    }
    if (key.text == "<<") {
        mistakes_.add(key.place, Mistake::merge_key);
        key.usable = false;
        return;
    }
    const auto [first, is_new] = level.lines.emplace(key.text, key.place.line);
    if (is_new)
        return;
    mistakes_.add(key.place, Mistake::key_twice, {ticked(key.text), std::to_string(first->second)});
    key.usable = false;
}

} // namespace aduana::policy::load
