// SPDX-License-Identifier: Apache-2.0
// The stand-ins that the sandbox of one task was given.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace aduana::proxy {

struct KnownPlaceholder {
    std::string credential; ///< whose place it takes
    std::string value;
};

class Placeholders {
public:
    Placeholders() = default;
    explicit Placeholders(std::vector<KnownPlaceholder> known) : known_(std::move(known)) {}

    /// Empty if the credential has none. Valid while this lives.
    [[nodiscard]] std::string_view of(std::string_view credential) const;

private:
    std::vector<KnownPlaceholder> known_;
};

} // namespace aduana::proxy
