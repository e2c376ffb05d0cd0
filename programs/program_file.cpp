// SPDX-License-Identifier: Apache-2.0
// Each part of the path, from the root on. What was checked is not exchanged before it is executed: only those who are
// trusted could do so.
#include "programs/program_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace aduana {
namespace {

struct stat unseen()
{
    return {};
}

Result<Ok> check_part(const std::string& part, uid_t user, mode_t wanted)
{
    auto about = unseen();
    if (::lstat(part.c_str(), &about) != 0)
        return Error{"cannot be looked at (" + part + ": " + std::generic_category().message(errno) + ")"};
    if (S_ISLNK(about.st_mode))
        return Error{"is named through the symbolic link " + part + ": its path must be written without one"};
    if ((about.st_mode & S_IFMT) != wanted)
        return Error{"is no regular file in folders (" + part + ")"};
    if (about.st_uid != 0 && about.st_uid != user)
        return Error{"could be changed by others: " + part + " belongs to uid " + std::to_string(about.st_uid) +
                     ", and only root and uid " + std::to_string(user) + " are trusted"};
    if ((about.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        return Error{"could be changed by others: " + part + " can be written by its group or by everybody"};
    return Ok{};
}

} // namespace

Result<Ok> check_program(const std::string& path, uid_t user)
{
    if (auto root = check_part("/", user, S_IFDIR); !root)
        return root;
    for (auto slash = path.find('/', 1); slash != path.npos; slash = path.find('/', slash + 1)) {
        if (auto folder = check_part(path.substr(0, slash), user, S_IFDIR); !folder)
            return folder;
    }
    if (auto file = check_part(path, user, S_IFREG); !file)
        return file;
    if (::access(path.c_str(), X_OK) != 0)
        return Error{"cannot be executed by uid " + std::to_string(user)};
    return Ok{};
}

} // namespace aduana
