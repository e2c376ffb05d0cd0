// SPDX-License-Identifier: Apache-2.0
// Printing for people: one write(2) a line, so that lines of parallel runs do not mix.
//
// The command has the same stderr and can see to it that nobody reads there, or that a terminal stops. Whoever watches
// it must not wait for that: a line that finds no room is dropped.
#include "cli/say.hpp"

#include "policy/base/fd.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

namespace aduana::cli {

namespace {

class Stderr {
public:
    Stderr()
    {
        struct stat status {};
        if (::fstat(STDERR_FILENO, &status) != 0)
            return;
        socket_ = S_ISSOCK(status.st_mode);
        // Opened anew, O_NONBLOCK is not the command's as well. A regular file never blocks.
        may_block_ = S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode);
        if (may_block_)
            own_ = UniqueFd(::open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    }

    /// Waits for room as long as `patience_ms` at most, each time. False: there was none.
    [[nodiscard]] bool put(std::string_view text, int patience_ms) const
    {
        while (!text.empty()) {
            const ssize_t written = write_some(text, patience_ms);
            if (written > 0)
                text.remove_prefix(static_cast<std::size_t>(written));
            else if (written == 0 || (errno != EAGAIN && errno != EINTR))
                return true; // nobody will ever read it
            else if (errno == EAGAIN && !has_room(patience_ms))
                return false;
        }
        return true;
    }

private:
    [[nodiscard]] ssize_t write_some(std::string_view text, int patience_ms) const
    {
        if (socket_)
            return ::send(STDERR_FILENO, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (own_)
            return ::write(own_.get(), text.data(), text.size());
        if (may_block_ && !has_room(patience_ms)) {
            errno = EAGAIN;
            return -1;
        }
        return ::write(STDERR_FILENO, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
    }
    [[nodiscard]] bool has_room(int patience_ms) const
    {
        pollfd one{own_ ? own_.get() : STDERR_FILENO, POLLOUT, 0};
        return ::poll(&one, 1, patience_ms) > 0 && (one.revents & POLLOUT) != 0;
    }

    UniqueFd own_;
    bool socket_ = false;
    bool may_block_ = false;
};

/// A reader that is only slow loses nothing.
constexpr int patience_ms = 100;
constexpr int patience_with_blocks_ms = 5'000;

void put(std::string_view text, int patience)
{
    static bool full = false; // one wait for many lines
    full = !Stderr().put(text, full ? 0 : patience);
}

} // namespace

std::string sanitised(std::string_view text, Newlines newlines)
{
    std::string out;
    out.reserve(text.size());
    for (const char c : text) {
        const bool printable = c >= 0x20 && c < 0x7f;
        const bool kept = printable || (c == '\n' && newlines == Newlines::keep);
        out += kept ? c : '?';
    }
    return out;
}

void say(std::string_view text)
{
    put("aduana: " + sanitised(text, Newlines::replace) + "\n", patience_ms);
}

void say(const Error& error)
{
    if (error.message.find('\n') == std::string::npos)
        say(describe(error));
    else
        say_block(error.message);
}

void say_as_it_is(std::string_view text)
{
    put(text, patience_with_blocks_ms);
}

void say_block(std::string_view text)
{
    put(sanitised(text, Newlines::keep), patience_with_blocks_ms);
}

} // namespace aduana::cli
