// SPDX-License-Identifier: Apache-2.0
// State folder and installation key.
#include "cli/installation.hpp"

#include "certs/digest.hpp"
#include "cli/write_places.hpp"
#include "policy/base/fd.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace aduana::cli {

namespace {

constexpr std::size_t max_key_file = 16 * 1024;

std::string environment_or(const char* name, const std::string& fallback)
{
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0' ? value : fallback;
}

Error system_error(const std::string& what, const std::string& remedy = {})
{
    return {what + ": " + std::strerror(errno), remedy};
}

Result<Ok> write_all(int fd, std::string_view content, const std::string& path)
{
    while (!content.empty()) {
        const ssize_t written = ::write(fd, content.data(), content.size());
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return system_error("cannot write " + path, "free some space there, or choose another folder");
        content.remove_prefix(static_cast<std::size_t>(written));
    }
    return Ok{};
}

Result<std::string> write_beside(const std::string& path, std::string_view content, unsigned mode)
{
    const std::string temporary = path + "." + certs::to_hex(certs::random_bytes(6)) + ".new";
    const UniqueFd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode));
    if (!fd)
        return system_error("cannot make " + temporary, "check the owner and the mode of its folder");
    const auto written = write_all(fd.get(), content, temporary);
    if (!written || ::fchmod(fd.get(), mode) != 0 || ::fsync(fd.get()) != 0) {
        const Error error = written ? system_error("cannot write " + temporary) : written.error();
        ::unlink(temporary.c_str());
        return error;
    }
    return temporary;
}

Result<certs::SigningKey> read_key(const std::string& path)
{
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0)
        return system_error("cannot read the installation's key " + path);
    if ((status.st_mode & 0077) != 0)
        return Error{"the installation's key " + path + " can be read by other users",
                     "chmod 600 it, and replace it if somebody may have copied it: whoever has it can forge records"};
    auto pem = read_file(path, max_key_file);
    if (!pem)
        return pem.error();
    auto key = certs::SigningKey::from_pem(*pem);
    wipe(*pem);
    if (!key)
        return Error{path + ": " + key.error().message, "remove the file to have a new key made (old records then need "
                                                        "the old public key)"};
    return key;
}

/// If another run was first, that run's key is used.
Result<Ok> make_key(const Folders& folders, const std::string& path)
{
    const auto key = certs::SigningKey::generate();
    const Secret pem = key.to_pem();
    const auto made = make_file(path, pem.reveal(), 0600);
    if (!made)
        return made.error();
    return *made ? write_file(folders.public_key(), key.verifying_key().to_pem(), 0644) : Result<Ok>(Ok{});
}

} // namespace

Folders folders()
{
    if (::geteuid() == 0)
        return {environment_or("ADUANA_STATE_DIR", "/var/lib/aduana")};
    const std::string home = environment_or("HOME", "/nonexistent");
    return {environment_or("ADUANA_STATE_DIR", environment_or("XDG_STATE_HOME", home + "/.local/state") + "/aduana")};
}

Result<Ok> make_folder(const std::string& path, unsigned mode)
{
    for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
        const std::string parent = path.substr(0, slash);
        if (::mkdir(parent.c_str(), 0755) != 0 && errno != EEXIST)
            return system_error("cannot make the folder " + parent, "set ADUANA_STATE_DIR to a folder you may write");
    }
    if (::mkdir(path.c_str(), mode) != 0 && errno != EEXIST)
        return system_error("cannot make the folder " + path, "set ADUANA_STATE_DIR to a folder you may write");
    return Ok{};
}

Result<std::string> read_file(const std::string& path, std::size_t limit)
{
    const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
    if (!fd)
        return system_error("cannot read " + path, "check that it exists and that you may read it");
    std::string content;
    char chunk[16 * 1024];
    for (;;) {
        const ssize_t size = ::read(fd.get(), chunk, sizeof chunk);
        if (size < 0 && errno == EINTR)
            continue;
        if (size < 0)
            return system_error("cannot read " + path);
        if (size == 0)
            break;
        content.append(chunk, static_cast<std::size_t>(size));
        if (content.size() > limit)
            return Error{path + " is larger than " + std::to_string(limit) + " bytes", "is it the right file?"};
    }
    wipe(chunk, sizeof chunk);
    return content;
}

Result<Ok> write_file(const std::string& path, std::string_view content, unsigned mode)
{
    if (auto checked = check_replaceable(path); !checked)
        return checked;
    const auto temporary = write_beside(path, content, mode);
    if (!temporary)
        return temporary.error();
    if (::rename(temporary->c_str(), path.c_str()) == 0)
        return Ok{};
    const Error error = system_error("cannot replace " + path);
    ::unlink(temporary->c_str());
    return error;
}

Result<bool> make_file(const std::string& path, std::string_view content, unsigned mode)
{
    const auto temporary = write_beside(path, content, mode);
    if (!temporary)
        return temporary.error();
    const bool first = ::link(temporary->c_str(), path.c_str()) == 0;
    const int reason = errno;
    ::unlink(temporary->c_str());
    if (first || reason == EEXIST)
        return first;
    errno = reason;
    return system_error("cannot make " + path, "check the owner and the mode of its folder");
}

Result<certs::SigningKey> installation_key(const Folders& folders)
{
    if (const auto made = make_folder(folders.keys(), 0755); !made)
        return made.error();
    const std::string path = folders.keys() + "/installation.pem";
    if (::access(path.c_str(), F_OK) != 0) {
        if (const auto made = make_key(folders, path); !made)
            return made.error();
    }
    return read_key(path);
}

} // namespace aduana::cli
