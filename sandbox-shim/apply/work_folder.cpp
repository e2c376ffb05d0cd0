// SPDX-License-Identifier: Apache-2.0
// Walks a folder that untrusted code may have filled: by descriptors, without links, within bounds.
#include "sandbox-shim/apply/work_folder.hpp"

#include "certs/digest.hpp"
#include "policy/base/fd.hpp"
#include "sandbox-shim/apply/failure.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <unordered_map>

namespace aduana::shim {

namespace {

constexpr std::size_t max_hashed_files = 10'000;
constexpr std::uint64_t max_hashed_bytes = std::uint64_t{1} << 30;
constexpr std::size_t max_depth = 128;
constexpr std::size_t max_path_bytes = std::size_t{64} << 20; ///< of all paths together

/// O_NONBLOCK: a FIFO in place of a file must not hold us up.
UniqueFd open_below(int folder, const std::string& path, int flags)
{
    open_how how = {};
    how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV;
    return UniqueFd(static_cast<int>(::syscall(SYS_openat2, folder, path.c_str(), &how, sizeof how)));
}

std::int64_t nanoseconds(const timespec& time)
{
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

FileStamp stamp_of(std::string path, const struct stat& status)
{
    return {std::move(path), static_cast<std::uint64_t>(status.st_size), nanoseconds(status.st_mtim),
            nanoseconds(status.st_ctim), status.st_ino};
}

class Walk {
public:
    FolderScan scan;

    void folder(int parent, const std::string& name, const std::string& prefix, std::size_t depth)
    {
        UniqueFd opened = open_below(parent, name, O_RDONLY | O_DIRECTORY);
        const int descriptor = opened.get();
        const std::unique_ptr<DIR, int (*)(DIR*)> entries(descriptor < 0 ? nullptr : ::fdopendir(opened.release()),
                                                          ::closedir);
        if (!entries || depth > max_depth) {
            scan.complete = false;
            return;
        }
        while (const dirent* entry = ::readdir(entries.get())) {
            const std::string child = entry->d_name;
            if (child == "." || child == "..")
                continue;
            if (++seen_ > max_scanned) {
                scan.complete = false;
                return;
            }
            look_at(descriptor, child, prefix + child, depth);
        }
    }

private:
    void look_at(int parent, const std::string& name, const std::string& path, std::size_t depth)
    {
        struct stat status = {};
        if (::fstatat(parent, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
            return;
        path_bytes_ += path.size();
        if (path_bytes_ > max_path_bytes)
            scan.complete = false;
        else if (S_ISREG(status.st_mode))
            scan.files.push_back(stamp_of(path, status));
        else if (S_ISSOCK(status.st_mode))
            scan.sockets.push_back(path);
        else if (S_ISDIR(status.st_mode))
            folder(parent, name, path + "/", depth + 1);
    }

    std::size_t seen_ = 0;
    std::size_t path_bytes_ = 0;
};

/// SHA-256 of exactly the file that was stamped, or nothing.
std::string hash_of(int folder, const FileStamp& expected)
{
    const UniqueFd file = open_below(folder, expected.path, O_RDONLY);
    struct stat status = {};
    if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
        stamp_of(expected.path, status) != expected)
        return "";
    const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> digest(EVP_MD_CTX_new(), EVP_MD_CTX_free);
    EVP_DigestInit_ex(digest.get(), EVP_sha256(), nullptr);
    std::array<char, 64 * 1024> chunk = {};
    std::uint64_t left = expected.size;
    while (left > 0) {
        const ssize_t size = ::read(file.get(), chunk.data(), std::min<std::uint64_t>(chunk.size(), left));
        if (size <= 0)
            return "";
        EVP_DigestUpdate(digest.get(), chunk.data(), static_cast<std::size_t>(size));
        left -= static_cast<std::uint64_t>(size);
    }
    certs::Sha256 result = {};
    EVP_DigestFinal_ex(digest.get(), result.data(), nullptr);
    return certs::to_hex(result);
}

} // namespace

Result<FolderScan> scan_work_folder(const std::string& path)
{
    struct stat status = {};
    if (::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode))
        return FolderScan{};
    const UniqueFd root(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!root)
        return system_failure("look into " + path);
    Walk walk;
    walk.folder(root.get(), ".", "", 0);
    std::sort(walk.scan.files.begin(), walk.scan.files.end(),
              [](const FileStamp& a, const FileStamp& b) { return a.path < b.path; });
    std::sort(walk.scan.sockets.begin(), walk.scan.sockets.end());
    return std::move(walk.scan);
}

std::vector<FileStamp> changed_files(const FolderScan& before, const FolderScan& after)
{
    std::unordered_map<std::string_view, const FileStamp*> known;
    for (const FileStamp& file : before.files)
        known.emplace(file.path, &file);
    std::vector<FileStamp> changed;
    for (const FileStamp& file : after.files) {
        const auto old = known.find(file.path);
        if (old == known.end() || !(*old->second == file))
            changed.push_back(file);
    }
    return changed;
}

FilesOut files_out(const std::string& path, const FolderScan& before)
{
    FilesOut out;
    const UniqueFd root(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const auto after = scan_work_folder(path);
    if (!root || !after)
        return {{}, false};
    out.complete = before.complete && after->complete;
    std::uint64_t bytes = 0;
    for (const FileStamp& file : changed_files(before, *after)) {
        bytes += file.size;
        const bool within_bounds = out.files.size() < max_hashed_files && bytes <= max_hashed_bytes;
        std::string digest = within_bounds ? hash_of(root.get(), file) : "";
        if (digest.empty()) {
            out.complete = false;
            if (!within_bounds)
                break;
            continue;
        }
        out.files.push_back({file.path, file.size, std::move(digest)});
    }
    return out;
}

} // namespace aduana::shim
