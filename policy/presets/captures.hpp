// SPDX-License-Identifier: Apache-2.0
// Answers of well-known protocols that hold credentials, as data.
#pragma once

#include <span>
#include <string_view>

namespace aduana::policy {

/// Whatever the method: some servers answer with credentials to others than the one that their protocol names.
struct CapturePreset {
    std::string_view name;
    std::span<const std::string_view> paths;   ///< empty: they differ from service to service, and have to be listed
    std::span<const std::string_view> members; ///< as in CaptureRule
    bool at_href = false;
    bool always = false; ///< its paths mean nothing else: no file has to ask for it
};

/// Null: there is none of this name.
[[nodiscard]] const CapturePreset* find_capture_preset(std::string_view name);
[[nodiscard]] std::span<const CapturePreset> all_capture_presets();

} // namespace aduana::policy
