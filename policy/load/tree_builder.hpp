// SPDX-License-Identifier: Apache-2.0
// The events of yaml-cpp put together to a tree; everything outside the subset is reported on the way.
#pragma once

#include "policy/load/mistakes.hpp"
#include "policy/load/node.hpp"

#include <yaml-cpp/eventhandler.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace aduana::policy::load {

class TreeBuilder final : public YAML::EventHandler {
public:
    /// Both are borrowed.
    TreeBuilder(std::string_view text, Mistakes& mistakes) : text_(text), mistakes_(mistakes) {}

    [[nodiscard]] Node root() && { return std::move(root_); }
    [[nodiscard]] Place place_of(const YAML::Mark& mark) const;
    /// Of the latest event: where an unfinished value stands after an exception.
    [[nodiscard]] Place last_place() const noexcept { return last_place_; }

    void OnDocumentStart(const YAML::Mark& mark) override;
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override;
    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value style) override;
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value style) override;
    void OnMapEnd() override { close(); }

private:
    struct Key {
        std::string text;
        Place place;
        bool usable = true;
    };
    /// A list or mapping that is still open.
    struct Level {
        Node node;
        std::optional<Key> key;                     ///< of the value that comes next
        std::unordered_map<std::string, int> lines; ///< of the keys so far
    };

    void check_properties(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor);
    void open(Node::Kind kind, const YAML::Mark& mark);
    void close();
    void attach(Node node);
    void take_key(Level& level, const Node& node);
    [[nodiscard]] Place place_before(const YAML::Mark& mark) const;

    std::string_view text_;
    Mistakes& mistakes_;
    Node root_;
    std::vector<Level> levels_;
    Place last_place_;
    int documents_ = 0;
    std::size_t levels_too_deep_ = 0;
};

} // namespace aduana::policy::load
