// SPDX-License-Identifier: Apache-2.0
// Bounded reads of descriptors that somebody else has opened.
#include "broker/shell/material.hpp"

#include "broker/shell/diagnostics.hpp"
#include "broker/shell/ledger_file.hpp"
#include "broker/shell/token_file.hpp"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <system_error>

namespace aduana::broker {
namespace {

constexpr std::size_t fixed_descriptors = 2; // credentials file and policy

// Wiped in the end, whatever it was used for.
class Buffer {
public:
    explicit Buffer(std::size_t size) : bytes_(size, '\0') {}
    Buffer(Buffer&&) noexcept = default;
    Buffer(const Buffer&) = delete;
    ~Buffer() { wipe(bytes_); }

    char* end() { return bytes_.data() + used_; }
    [[nodiscard]] std::size_t room() const { return bytes_.size() - used_; }
    [[nodiscard]] std::size_t used() const { return used_; }
    [[nodiscard]] std::string_view view() const { return std::string_view(bytes_).substr(0, used_); }
    void grow(std::size_t size) { used_ += size; }

private:
    std::string bytes_;
    std::size_t used_ = 0;
};

Error unreadable()
{
    return {"it cannot be read: " + std::generic_category().message(errno), "can the caller read it?"};
}

// A pipe whose writer sleeps must not stop all tasks: the broker has one thread.
Result<Ok> wait_for_pipe(int fd, std::chrono::steady_clock::time_point deadline)
{
    using std::chrono::milliseconds;
    const auto left = std::chrono::ceil<milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd interest{fd, POLLIN, 0};
    if (left > milliseconds(0) && ::poll(&interest, 1, static_cast<int>(left.count())) > 0)
        return Ok{};
    return Error{"it is a pipe that nothing was written to for two seconds", "write it to a file first"};
}

Result<std::size_t> read_some(int fd, bool pipe, Buffer& buffer)
{
    for (;;) {
        const auto offset = static_cast<off_t>(buffer.used());
        const auto got =
            pipe ? ::read(fd, buffer.end(), buffer.room()) : ::pread(fd, buffer.end(), buffer.room(), offset);
        if (got >= 0)
            return static_cast<std::size_t>(got);
        if (errno != EINTR)
            return unreadable();
    }
}

Result<Buffer> read_all(int fd, const struct stat& status, std::size_t limit)
{
    if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode))
        return Error{"it is neither a file nor a pipe", "name a file"};
    const bool pipe = S_ISFIFO(status.st_mode);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    // One byte more than allowed tells a file that is too long.
    Buffer buffer(limit + 1);
    while (buffer.room() > 0) {
        if (pipe) {
            if (const auto ready = wait_for_pipe(fd, deadline); !ready)
                return ready.error();
        }
        const auto got = read_some(fd, pipe, buffer);
        if (!got)
            return got.error();
        if (*got == 0)
            return buffer;
        buffer.grow(*got);
    }
    return Error{"it is longer than " + std::to_string(limit) + " bytes", "is this the right file?"};
}

Result<std::string> read_text(int fd, const std::string& file)
{
    struct stat status {};
    if (::fstat(fd, &status) != 0)
        return Error{file + ": " + unreadable().message};
    const auto buffer = read_all(fd, status, max_text);
    if (!buffer)
        return Error{file + ": " + buffer.error().message, buffer.error().remedy};
    return std::string(buffer->view());
}

Result<Secret> read_source(int fd, const std::string& credential)
{
    struct stat status {};
    if (::fstat(fd, &status) != 0)
        return unreadable();
    // A memory file has no links, and nobody else can open it, whatever its mode says.
    if (S_ISREG(status.st_mode) && status.st_nlink > 0 && (status.st_mode & S_IRWXO) != 0)
        warn("credential '" + credential +
             "': every user of this machine may open its source file; take that away with "
             "chmod o=");
    const auto buffer = read_all(fd, status, max_source);
    if (!buffer)
        return buffer.error();
    return Secret::copy_of(buffer->view());
}

} // namespace

Result<Material> read_material(const TaskOpen& request, std::vector<UniqueFd>& descriptors)
{
    const auto sources = fixed_descriptors + request.file_sources.size();
    const auto kept = sources + request.kept.size();
    const auto expected = kept + (request.ledger ? 1 : 0) + request.old_ledgers;
    if (descriptors.size() != expected)
        return Error{"TaskOpen came with " + std::to_string(descriptors.size()) + " descriptors instead of " +
                     std::to_string(expected)};
    auto credentials = read_text(descriptors[0].get(), request.credentials_file);
    if (!credentials)
        return credentials.error();
    auto policy = read_text(descriptors[1].get(), request.policy_file);
    if (!policy)
        return policy.error();
    Material material{std::move(*credentials), std::move(*policy), {}, std::chrono::system_clock::now()};
    for (std::size_t i = 0; i < request.file_sources.size(); ++i)
        material.files.push_back(read_source(descriptors[fixed_descriptors + i].get(), request.file_sources[i]));
    for (std::size_t i = 0; i < request.kept.size(); ++i)
        material.slots.emplace(request.kept[i], std::make_shared<TokenFile>(std::move(descriptors[sources + i])));
    for (auto i = kept; i < expected; ++i) {
        auto file = std::make_shared<LedgerOnDisk>(std::move(descriptors[i]));
        if (i == kept && request.ledger)
            material.ledger = std::move(file);
        else
            material.old_ledgers.push_back(std::move(file));
    }
    return material;
}

} // namespace aduana::broker
