// SPDX-License-Identifier: Apache-2.0
// memfd_create(2), filled and sealed.
#include "cli/sealed_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace aduana::cli {

Result<UniqueFd> sealed_file(const char* name, std::string_view content)
{
    UniqueFd fd(::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!fd)
        return Error{std::string("memfd_create: ") + std::strerror(errno), "Linux 3.17 or newer is needed"};
    while (!content.empty()) {
        const ssize_t written = ::write(fd.get(), content.data(), content.size());
        if (written <= 0)
            return Error{std::string("cannot fill a memory file: ") + std::strerror(errno), "free some memory"};
        content.remove_prefix(static_cast<std::size_t>(written));
    }
    if (::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) != 0)
        return Error{std::string("cannot seal a memory file: ") + std::strerror(errno),
                     "Linux 3.17 or newer is needed"};
    return fd;
}

} // namespace aduana::cli
