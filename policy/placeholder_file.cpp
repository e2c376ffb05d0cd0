// SPDX-License-Identifier: Apache-2.0
// Where programs look for the files of each format.
#include "policy/placeholder_file.hpp"

namespace aduana::policy {

std::vector<std::string_view> paths_of(const PlaceholderFile& file)
{
    using enum PlaceholderFile::Format;
    switch (file.format) {
    case npmrc:
        return {".npmrc"};
    case netrc:
        return {".netrc"};
    case docker:
        return {".docker/config.json"};
    case aws:
        return {".aws/credentials", ".aws/config"};
    case gcp:
        return {".config/gcloud/application_default_credentials.json"};
    case text:
        break;
    }
    return {file.path};
}

bool is_shared(PlaceholderFile::Format format) noexcept
{
    using enum PlaceholderFile::Format;
    return format == npmrc || format == netrc || format == docker;
}

} // namespace aduana::policy
