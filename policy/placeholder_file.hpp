// SPDX-License-Identifier: Apache-2.0
// A file of the sandbox's home that holds a placeholder, for programs that read their credentials from files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace aduana::policy {

struct PlaceholderFile {
    enum class Format : std::uint8_t {
        npmrc,  ///< ~/.npmrc, for each host that the credential is bound to
        netrc,  ///< ~/.netrc, the same
        docker, ///< ~/.docker/config.json, the same
        aws,    ///< ~/.aws/credentials and ~/.aws/config, the default profile
        gcp,    ///< the application default credentials of Google's libraries: a service account
        text,   ///< the operator's own
    };
    Format format = Format::text;
    std::string path{};    ///< of a text: below the home
    std::string content{}; ///< of a text: every "{}" is the placeholder
};

/// Where it is, below the home.
[[nodiscard]] std::vector<std::string_view> paths_of(const PlaceholderFile& file);
/// Several credentials can have their entries in one file of this format.
[[nodiscard]] bool is_shared(PlaceholderFile::Format format) noexcept;

} // namespace aduana::policy
