// SPDX-License-Identifier: Apache-2.0
// Each variable and mount of the sandbox against each credential.
#include "policy/load/exposure.hpp"

#include "policy/load/characters.hpp"
#include "policy/load/fields.hpp"
#include "policy/placeholder_owner.hpp"
#include "policy/quote.hpp"

#include <string>
#include <variant>

namespace aduana::policy::load {

namespace {

using Credentials = std::vector<CredentialDeclaration>;

void check_passed(std::string_view name, Place place, const Credentials& credentials, Mistakes& mistakes)
{
    for (const auto& credential : credentials) {
        for (const auto& part : secret_parts(credential.source)) {
            const auto* source = std::get_if<EnvironmentSource>(&part.reference);
            if (source && source->variable == name)
                mistakes.add(place, Mistake::secret_passed, {ticked(name), ticked(credential.name)});
        }
    }
}

void check_placeholder(std::string_view name, Place place, const Credentials& credentials, Mistakes& mistakes)
{
    if (const auto* owner = placeholder_owner(name, credentials))
        mistakes.add(place, Mistake::placeholder_overwritten, {ticked(name), ticked(owner->name)});
}

bool holds(std::string_view folder, std::string_view path)
{
    return folder == "/" || path == folder || (path.starts_with(folder) && path.substr(folder.size()).starts_with('/'));
}

void check_mount(const Mount& mount, const Credentials& credentials, Mistakes& mistakes)
{
    for (const auto& credential : credentials) {
        for (const auto& part : secret_parts(credential.source)) {
            const auto* source = std::get_if<FileSource>(&part.reference);
            if (source && holds(mount.path, source->path))
                mistakes.add(mount.place, Mistake::secret_mounted,
                             {quoted(mount.path), ticked(credential.name), quoted(source->path)});
        }
    }
}

} // namespace

void check_exposure(const SandboxSettings& sandbox, const Node& root, const Credentials& credentials,
                    Mistakes& mistakes)
{
    for (const auto& mount : sandbox.mounts)
        check_mount(mount, credentials, mistakes);
    const auto* part = find_entry(root, "sandbox");
    const auto* environment = part ? find_entry(part->value, "environment") : nullptr;
    const auto* passed = part ? find_entry(part->value, "pass_environment") : nullptr;
    if (environment) {
        for (const auto& entry : environment->value.entries)
            check_placeholder(entry.key, entry.place, credentials, mistakes);
    }
    if (passed) {
        for (const auto& item : passed->value.items) {
            check_passed(item.text, item.place, credentials, mistakes);
            check_placeholder(item.text, item.place, credentials, mistakes);
        }
    }
}

} // namespace aduana::policy::load
