// SPDX-License-Identifier: Apache-2.0
// Files of the secret store.
#include "cli/secret_store.hpp"

#include "cli/installation.hpp"
#include "cli/say.hpp"
#include "policy/discreet.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>

namespace aduana::cli {

namespace {

constexpr std::string_view ending = ".box";
constexpr std::size_t longest_key_file = 4096;

Result<UniqueFd> open_for_reading(const std::string& path, const std::string& remedy)
{
    UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
    if (!fd)
        return Error{"cannot read " + path + ": " + std::strerror(errno), remedy};
    return fd;
}

std::string utc(std::time_t time)
{
    std::tm parts{};
    std::array<char, 32> text{};
    ::gmtime_r(&time, &parts);
    const auto size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
    return {text.data(), size};
}

} // namespace

Result<Ok> check_secret_name(const std::string& name)
{
    const auto allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
    };
    const bool good = !name.empty() && name.size() <= 64 && std::ranges::all_of(name, allowed) &&
                      std::string_view("._-").find(name.front()) == std::string_view::npos;
    if (good)
        return Ok{};
    return Error{"\"" + policy::discreet(name).substr(0, 64) + "\" cannot be the name of a secret",
                 "write 1 to 64 of the characters a-z 0-9 . _ - and begin with a letter or digit"};
}

std::string SecretStore::private_key() const
{
    // systemd decrypts it for the one service that it belongs to.
    const char* given = std::getenv("CREDENTIALS_DIRECTORY");
    const auto path = given != nullptr ? std::string(given) + "/aduana-store-key" : std::string();
    return given != nullptr && ::access(path.c_str(), F_OK) == 0 ? path : folder_ + "/store.key";
}

Result<Ok> SecretStore::make_keys() const
{
    if (auto made = make_folder(folder_, 0700); !made)
        return made;
    const auto path = private_key();
    if (::access(path.c_str(), F_OK) != 0) {
        const auto keys = broker::make_store_keys();
        const auto made = make_file(path, keys.private_key.reveal(), 0400);
        if (!made)
            return made.error();
        if (*made) {
            say("made the key of the secret store, " + path + ": keep a copy of it elsewhere, stored secrets need it");
            return write_file(public_key(), keys.public_key, 0644);
        }
    }
    auto bytes = read_file(path, longest_key_file);
    if (!bytes)
        return bytes.error();
    const auto keys = broker::read_store_keys(*bytes);
    wipe(*bytes);
    return keys ? write_file(public_key(), keys->public_key, 0644) : Result<Ok>(keys.error());
}

Result<Ok> SecretStore::ensure_keys() const
{
    return ::access(public_key().c_str(), F_OK) == 0 ? Result<Ok>(Ok{}) : make_keys();
}

Result<std::string> SecretStore::read_public_key() const
{
    if (const auto made = ensure_keys(); !made)
        return made.error();
    return read_file(public_key(), longest_key_file);
}

Result<Ok> SecretStore::put(const broker::SealedSecret& secret) const
{
    if (auto named = check_secret_name(secret.name); !named)
        return named;
    const auto key = read_public_key();
    if (!key)
        return key.error();
    const auto sealed = broker::seal(secret, *key);
    if (!sealed)
        return sealed.error();
    return write_file(box(secret.name), *sealed, 0600);
}

Result<std::vector<StoredSecret>> SecretStore::list() const
{
    std::vector<StoredSecret> stored;
    std::error_code error;
    for (std::filesystem::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
        const auto file = at->path().filename().string();
        struct stat status {};
        if (!file.ends_with(ending) || ::stat(at->path().c_str(), &status) != 0)
            continue;
        stored.push_back({file.substr(0, file.size() - ending.size()), utc(status.st_mtime)});
    }
    if (error && error != std::errc::no_such_file_or_directory)
        return Error{"cannot read " + folder_ + ": " + error.message(), "are you the user who stored them?"};
    std::ranges::sort(stored, {}, &StoredSecret::name);
    return stored;
}

Result<Ok> SecretStore::remove(const std::string& name) const
{
    if (auto named = check_secret_name(name); !named)
        return named;
    if (::unlink(box(name).c_str()) == 0)
        return Ok{};
    if (errno == ENOENT)
        return Error{"there is no secret " + name + " in " + folder_, "see: aduana secret list"};
    return Error{"cannot remove " + box(name) + ": " + std::strerror(errno), "are you the user who stored it?"};
}

Result<UniqueFd> SecretStore::open_box(const std::string& name) const
{
    return open_for_reading(box(name), "store it: aduana secret put " + name);
}

Result<UniqueFd> SecretStore::open_key() const
{
    return open_for_reading(private_key(), "restore it from its copy; without it no stored secret can be read");
}

} // namespace aduana::cli
