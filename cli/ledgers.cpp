// SPDX-License-Identifier: Apache-2.0
// A file that is made and not locked yet may be taken for an abandoned one: whoever makes it looks whether it is there.
#include "cli/ledgers.hpp"

#include "broker/protocol/codec.hpp"
#include "certs/digest.hpp"
#include "cli/installation.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace aduana::cli {

namespace {

constexpr int attempts = 10;
constexpr std::size_t suffix_bytes = 6;

/// Locked and still in its folder; unset if somebody else has it, or has removed it.
UniqueFd locked(UniqueFd fd)
{
    struct stat about {};
    const bool ours = fd && ::flock(fd.get(), LOCK_EX | LOCK_NB) == 0 && ::fstat(fd.get(), &about) == 0 &&
                      S_ISREG(about.st_mode) && about.st_nlink > 0;
    return ours ? std::move(fd) : UniqueFd();
}

bool is_empty(const UniqueFd& fd)
{
    struct stat about {};
    return ::fstat(fd.get(), &about) == 0 && about.st_size == 0;
}

std::vector<UniqueFd> abandoned(const std::string& folder)
{
    std::vector<UniqueFd> found;
    std::error_code error;
    for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        const auto& path = entry->path().native();
        auto fd = locked(UniqueFd(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)));
        if (fd && is_empty(fd))
            ::unlink(path.c_str());
        else if (fd && found.size() < broker::max_old_ledgers)
            found.push_back(std::move(fd));
    }
    return found;
}

} // namespace

Result<Ledgers> open_ledgers(const std::string& folder, const std::string& task)
{
    if (const auto made = make_folder(folder, 0700); !made)
        return made.error();
    Ledgers ledgers;
    ledgers.old = abandoned(folder);
    for (int attempt = 0; attempt < attempts; ++attempt) {
        ledgers.path = folder;
        ledgers.path.append("/").append(task).append(".").append(certs::to_hex(certs::random_bytes(suffix_bytes)));
        UniqueFd made(::open(ledgers.path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
        if (!made && errno != EEXIST)
            return Error{"cannot make " + ledgers.path + ": " + std::strerror(errno),
                         "what is to be taken back from issuers is noted there; check the owner of the folder"};
        ledgers.own = locked(std::move(made));
        if (ledgers.own)
            return ledgers;
    }
    return Error{"cannot make a file of its own in " + folder, "is another program removing what is made there?"};
}

void remove_ledger(const std::string& path) noexcept
{
    struct stat about {};
    if (!path.empty() && ::lstat(path.c_str(), &about) == 0 && about.st_size == 0)
        ::unlink(path.c_str());
}

} // namespace aduana::cli
