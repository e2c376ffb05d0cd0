// SPDX-License-Identifier: Apache-2.0
// `aduana secret put`, `list` and `remove`.
#include "cli/installation.hpp"
#include "cli/options.hpp"
#include "cli/say.hpp"
#include "cli/secret_store.hpp"
#include "cli/secret_value.hpp"
#include "cli/write_places.hpp"
#include "policy/host.hpp"
#include "policy/limits.hpp"

#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <span>

namespace aduana::cli {

namespace {

constexpr std::size_t longest_value = 48 * std::size_t{1024};

/// Takes the echo of the terminal away while it lives.
class Unseen {
public:
    explicit Unseen(int terminal) : terminal_(terminal)
    {
        restore_ = ::tcgetattr(terminal_, &before_) == 0;
        auto quiet = before_;
        quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO);
        if (restore_)
            ::tcsetattr(terminal_, TCSAFLUSH, &quiet);
    }
    Unseen(const Unseen&) = delete;
    Unseen& operator=(const Unseen&) = delete;
    ~Unseen()
    {
        if (restore_)
            ::tcsetattr(terminal_, TCSAFLUSH, &before_);
    }

private:
    int terminal_;
    termios before_{};
    bool restore_ = false;
};

/// To the end of the file; of a terminal, one line.
Result<Secret> read_value(int fd, const std::string& from)
{
    const bool terminal = ::isatty(fd) == 1;
    std::string bytes(longest_value + 1, '\0');
    std::size_t size = 0;
    ssize_t got = 1;
    while (got != 0 && size < bytes.size()) {
        got = ::read(fd, bytes.data() + size, bytes.size() - size);
        if (got < 0 && errno != EINTR)
            break;
        size += got > 0 ? static_cast<std::size_t>(got) : 0;
        if (terminal && got > 0 && bytes[size - 1] == '\n')
            got = 0;
    }
    if (terminal && size > 0 && bytes[size - 1] == '\n')
        --size;
    auto value = Secret::copy_of(std::string_view(bytes).substr(0, size));
    wipe(bytes);
    if (got < 0)
        return Error{"cannot read " + from + ": " + std::strerror(errno)};
    if (value.empty() || value.size() > longest_value)
        return Error{"the value from " + from + " is empty or longer than 48 KiB", "is this the right file?"};
    return value;
}

Result<Secret> value_of(const SecretPutOptions& options)
{
    if (!options.from_file.empty()) {
        const UniqueFd fd(::open(options.from_file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
        if (!fd)
            return Error{"cannot read " + options.from_file + ": " + std::strerror(errno)};
        return read_value(fd.get(), options.from_file);
    }
    if (::isatty(STDIN_FILENO) != 1)
        return read_value(STDIN_FILENO, "stdin");
    auto value = [&options] {
        // Before it is asked for: what is typed at once is neither shown nor lost.
        const Unseen unseen(STDIN_FILENO);
        std::fprintf(stderr, "Value of %s (not shown): ", options.name.c_str());
        return read_value(STDIN_FILENO, "the terminal");
    }();
    std::fputs("\n", stderr);
    return value;
}

Result<broker::SealedRestrictions> restrictions_of(const SecretPutOptions& options)
{
    broker::SealedRestrictions restrictions{options.hosts, options.tasks, {}, {}};
    for (const auto& host : options.hosts) {
        if (const auto pattern = policy::HostPattern::parse(host); !pattern)
            return pattern.error();
    }
    if (!options.not_after.empty()) {
        const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
        const auto moment = read_not_after(options.not_after, now);
        if (!moment)
            return moment.error();
        restrictions.not_after = *moment;
    }
    if (!options.max_ttl.empty()) {
        const auto ttl = policy::parse_duration(options.max_ttl);
        if (!ttl || *ttl < std::chrono::seconds(1))
            return Error{"--max-ttl " + options.max_ttl + " is not a time of at least a second", "write such as 15m"};
        restrictions.max_ttl = std::chrono::duration_cast<std::chrono::seconds>(*ttl);
    }
    return restrictions;
}

Result<Ok> put(const SecretPutOptions& options)
{
    if (auto named = check_secret_name(options.name); !named)
        return named;
    auto restrictions = restrictions_of(options);
    if (!restrictions)
        return restrictions.error();
    auto value = value_of(options);
    if (!value)
        return value.error();
    if (auto usable = check_secret_value(value->reveal()); !usable)
        return usable;
    const auto where = followed_folders();
    if (!where)
        return where.error();
    return SecretStore(where->secrets()).put({options.name, std::move(*restrictions), std::move(*value)});
}

int status_of(const Result<Ok>& done)
{
    if (done)
        return exit_yes;
    say(done.error());
    return exit_no;
}

} // namespace

int secret_put(const SecretPutOptions& options)
{
    return status_of(put(options));
}

int secret_list()
{
    const auto stored = SecretStore(folders().secrets()).list();
    if (!stored)
        return status_of(stored.error());
    for (const auto& secret : *stored)
        std::cout << secret.stored << "  " << secret.name << "\n";
    return exit_yes;
}

int secret_remove(const SecretRemoveOptions& options)
{
    const auto where = followed_folders();
    return status_of(where ? SecretStore(where->secrets()).remove(options.name) : Result<Ok>(where.error()));
}

} // namespace aduana::cli
