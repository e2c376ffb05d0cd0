// SPDX-License-Identifier: Apache-2.0
// aduana-proxy: takes tasks from its control socket and serves their sandboxes. Started by `aduana`, without root.
#include "proxy/shell/control_server.hpp"
#include "proxy/shell/diagnostics.hpp"
#include "proxy/shell/isolate.hpp"
#include "proxy/shell/sessions.hpp"

#include <getopt.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <optional>
#include <thread>

namespace {

using namespace aduana;

constexpr int exit_failed = 1;
constexpr int exit_usage = 2;

constexpr unsigned max_workers = 256;

constexpr const char* usage =
    "usage: aduana-proxy --control-fd N\n"
    "       aduana-proxy --sessions-fd N [--workers W]\n"
    "\n"
    "Serves the network of sandboxes: decides, injects, scrubs, records. `aduana` starts it, without root, with one "
    "end\n"
    "of a SEQPACKET pair on descriptor N; it ends when that closes.\n"
    "\n"
    "  --control-fd N    from the program that opens tasks\n"
    "  --sessions-fd N   from a program that hands over control sockets, one for each task of the machine\n"
    "  --workers W       threads that sessions are spread over (default: one for each processor)\n"
    "\n"
    "example: aduana-proxy --control-fd 3\n";

struct Options {
    int control = -1;
    int sessions = -1;
    int workers = -1;
    bool help = false;
    [[nodiscard]] int socket() const { return control >= 0 ? control : sessions; }
};

std::optional<int> read_number(const char* text)
{
    int value = -1;
    const auto* const end = text + std::strlen(text);
    const auto [stop, error] = std::from_chars(text, end, value);
    return error == std::errc() && stop == end && value >= 0 ? std::optional(value) : std::nullopt;
}

bool set_option(Options& options, int name, const char* text)
{
    const auto number = text == nullptr ? std::nullopt : read_number(text);
    if (name == 'h')
        options.help = true;
    else if (name == 'c' && number)
        options.control = *number;
    else if (name == 's' && number)
        options.sessions = *number;
    else if (name == 'w' && number && *number >= 1 && *number <= static_cast<int>(max_workers))
        options.workers = *number;
    else
        return false;
    return true;
}

std::optional<Options> read_options(int count, char** arguments)
{
    constexpr std::array<option, 5> known{
        option{"control-fd", required_argument, nullptr, 'c'}, option{"sessions-fd", required_argument, nullptr, 's'},
        option{"workers", required_argument, nullptr, 'w'}, option{"help", no_argument, nullptr, 'h'}, option{}};
    Options options;
    for (int found = 0; (found = ::getopt_long(count, arguments, "h", known.data(), nullptr)) != -1;)
        if (!set_option(options, found, optarg))
            return std::nullopt;
    const bool one_socket = (options.control >= 0) != (options.sessions >= 0);
    const bool complete = options.help || (one_socket && (options.control < 0 || options.workers < 0));
    return complete && optind == count ? std::optional(options) : std::nullopt;
}

unsigned workers_of(const Options& options)
{
    if (options.workers > 0)
        return static_cast<unsigned>(options.workers);
    return std::clamp(std::thread::hardware_concurrency(), 1U, max_workers);
}

Result<UniqueFd> isolate(int control)
{
    auto socket = proxy::isolate_inherited(control);
    if (!socket)
        return socket;
    proxy::isolate_memory();
    if (const auto isolated = proxy::isolate_calls(); !isolated)
        return isolated.error();
    return socket;
}

} // namespace

int main(int count, char** arguments)
{
    const auto options = read_options(count, arguments);
    if (!options) {
        std::fputs(usage, stderr);
        return exit_usage;
    }
    if (options->help) {
        std::fputs(usage, stdout);
        return 0;
    }
    auto socket = isolate(options->socket());
    if (!socket) {
        proxy::diagnostics::fail(describe(socket.error()));
        return exit_failed;
    }
    // Threads begin behind the filter of system calls, and have it too.
    if (options->sessions >= 0)
        proxy::serve_sessions(std::move(*socket), workers_of(*options));
    proxy::serve_control(std::move(*socket));
}
