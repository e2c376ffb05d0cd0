// SPDX-License-Identifier: Apache-2.0
// The presets that there are, as data.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace aduana::policy {

struct PresetParameter {
    enum class Kind : std::uint8_t {
        repository, ///< "owner/name"
        image,      ///< "team/app", a repository of a registry (OCI distribution specification)
        bucket,     ///< the name of one
        prefix,     ///< "builds/main", whole names of a path; none where it is not given
        flag,       ///< true or false; false where it is not given
    };
    std::string_view name;
    Kind kind;
};

/// A path that is allowed; "{name}" stands for the value of a parameter.
struct PresetPath {
    std::string_view path;
    std::string_view flag{}; ///< only where this flag is true
};
struct PresetMethod {
    std::string_view method;
    std::string_view flag{};
};
/// A parameter of the query that may be used.
struct PresetQueryParameter {
    std::string_view name;
    std::string_view flag{};
    std::string_view unless{}; ///< not where this parameter of the preset is given
};
/// The method needs the parameter, or another one that it has a need for; not where the flag is true.
struct PresetNeed {
    std::string_view method;
    std::string_view parameter;
    std::string_view unless_flag{};
};

struct Preset {
    std::string_view name;
    std::span<const PresetParameter> parameters; ///< all but flags and prefixes are required
    std::span<const PresetMethod> methods;
    std::span<const PresetPath> paths;
    std::span<const std::string_view> closed;       ///< paths
    std::span<const std::string_view> containers{}; ///< as in PresetUse; "{name}" as in `paths`
    std::span<const PresetQueryParameter> query{};  ///< empty: any parameter
    std::span<const PresetNeed> needs{};
    std::span<const std::string_view> closed_fields{}; ///< as `fields` of PresetUse
};

/// Null: there is none of this name.
[[nodiscard]] const Preset* find_preset(std::string_view name);
[[nodiscard]] std::span<const Preset> all_presets();

} // namespace aduana::policy
