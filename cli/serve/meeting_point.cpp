// SPDX-License-Identifier: Apache-2.0
// A lock on the folder tells a server that lives from a socket that was left behind.
#include "cli/serve/meeting_point.hpp"

#include "policy/base/wire.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace aduana::serve {

namespace {

constexpr const char* socket_name = "/serve.sock";
constexpr int backlog = 1024;

Error system_error(const std::string& what, const std::string& remedy = {})
{
    return {what + ": " + std::strerror(errno), remedy};
}

Result<sockaddr_un> address_of(const std::string& path)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path)
        return Error{path + " is too long for the name of a socket", "set ADUANA_RUNTIME_DIR to a shorter folder"};
    std::memcpy(address.sun_path, path.data(), path.size());
    return address;
}

Result<UniqueFd> locked(const std::string& folder)
{
    UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd)
        return system_error("cannot open " + folder, "set ADUANA_RUNTIME_DIR to a folder of root's");
    struct stat status {};
    if (::fstat(fd.get(), &status) != 0 || status.st_uid != ::geteuid() || (status.st_mode & 0022) != 0)
        return Error{folder + " belongs to somebody else, or others may write to it",
                     "chown it to root and chmod 700 it: whoever can replace the socket gets the credentials of tasks"};
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0)
        return Error{"aduana serve runs already in " + folder, "stop it first, or set ADUANA_RUNTIME_DIR"};
    return fd;
}

std::string environment_or(const char* name, const std::string& fallback)
{
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0' ? value : fallback;
}

} // namespace

std::string runtime_folder()
{
    const std::string usual =
        ::geteuid() == 0 ? "/run/aduana" : environment_or("XDG_RUNTIME_DIR", "/nonexistent") + "/aduana";
    return environment_or("ADUANA_RUNTIME_DIR", usual);
}

Result<MeetingPoint> make_meeting_point(const std::string& folder)
{
    std::error_code made;
    std::filesystem::create_directories(std::filesystem::path(folder).parent_path(), made);
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
        return system_error("cannot make the folder " + folder, "set ADUANA_RUNTIME_DIR to a folder of root's");
    auto lock = locked(folder);
    if (!lock)
        return lock.error();
    const std::string path = folder + socket_name;
    const auto address = address_of(path);
    if (!address)
        return address.error();
    ::unlink(path.c_str());
    UniqueFd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    // The mode of the file counts from its first moment on: connect(2) asks for the right to write.
    const mode_t before = ::umask(0177);
    const bool bound =
        socket && ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) == 0;
    ::umask(before);
    if (!bound || ::listen(socket.get(), backlog) != 0)
        return system_error("cannot listen on " + path, "set ADUANA_RUNTIME_DIR to a folder of root's");
    return MeetingPoint{path, std::move(*lock), std::move(socket)};
}

Result<std::optional<UniqueFd>> connect_to(const std::string& folder)
{
    const std::string path = folder + socket_name;
    const auto address = address_of(path);
    if (!address)
        return address.error();
    UniqueFd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    if (!socket)
        return system_error("cannot make a socket");
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0) {
        if (errno == ENOENT || errno == ENOTDIR || errno == ECONNREFUSED)
            return std::optional<UniqueFd>();
        return system_error("cannot connect to " + path, "is it the socket of your own aduana serve?");
    }
    if (const auto peer = trusted_peer(socket.get()); !peer)
        return Error{path + ": " + peer.error().message, peer.error().remedy};
    return std::optional(std::move(socket));
}

Result<Peer> trusted_peer(int socket)
{
    ucred peer{};
    socklen_t size = sizeof peer;
    if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
        return system_error("SO_PEERCRED");
    if (peer.uid != 0 && peer.uid != ::geteuid())
        return Error{"the other end runs as uid " + std::to_string(peer.uid) + ", neither root nor the caller", ""};
    return Peer{peer.pid};
}

} // namespace aduana::serve
