// SPDX-License-Identifier: Apache-2.0
// What a preset keeps closed, asked of one request.
#pragma once

#include "policy/path.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace aduana::policy {

/// As much of a request as whoever asks knows of it.
struct PresetQuestion {
    std::string_view method;
    std::string_view path;                      ///< as sent, without the query
    std::optional<std::string_view> query{};    ///< as sent, without its "?"; unset: not known
    std::span<const std::string_view> fields{}; ///< names of header fields
};

/// What of the request is closed, for the one who reads the refusal. `name` is a view into the question.
struct Closed {
    enum class What : std::uint8_t { path, method, parameter, field };
    What what = What::path;
    std::string_view name;
};

/// A preset of the catalogue that a rule or a destination is narrowed to. What it closes stays closed, whatever the
/// paths beside it say.
struct PresetUse {
    /// A request with this method has at least one of these parameters in its query.
    struct Need {
        std::string method;
        std::vector<std::string> one_of;
        friend bool operator==(const Need&, const Need&) = default;
    };

    std::string name; ///< empty: none
    std::vector<PathPattern> closed;
    /// What holds other things (a bucket): not to be made, changed or removed itself, so only GET, HEAD and POST.
    std::vector<PathPattern> containers{};
    /// The only parameters that a query may have, spelled so; empty: any.
    std::vector<std::string> parameters{};
    std::vector<Need> needs{};
    /// Beginnings of names of header fields, in lower case and with hyphens.
    std::vector<std::string> fields{};

    /// Paths and names of fields are read as widely as in a deny rule. Parameters and needs are left out where the
    /// query is not known.
    [[nodiscard]] std::optional<Closed> closes(const PresetQuestion& question) const;
    /// Whatever `other` closes by something else than its `closed`, this closes too. Never true by mistake.
    [[nodiscard]] bool is_as_strict_beyond_paths(const PresetUse& other) const;
};

} // namespace aduana::policy
