// SPDX-License-Identifier: Apache-2.0
// aduana-proxy: takes tasks from its control socket and serves their sandboxes. Started by `aduana`, without root.
#include "proxy/shell/control_server.hpp"
#include "proxy/shell/diagnostics.hpp"
#include "proxy/shell/isolate.hpp"

#include <getopt.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <optional>

namespace {

using namespace aduana;

constexpr int exit_failed = 1;
constexpr int exit_usage = 2;

constexpr const char* usage = "usage: aduana-proxy --control-fd N\n"
                              "\n"
                              "Serves the network of sandboxes: decides, injects, scrubs, records. `aduana` starts it, "
                              "without root, with one end\n"
                              "of a SEQPACKET pair on descriptor N; it ends when that closes.\n"
                              "\n"
                              "  --control-fd N   from the program that opens tasks\n"
                              "\n"
                              "example: aduana-proxy --control-fd 3\n";

struct Options {
    int control = -1;
    bool help = false;
};

std::optional<Options> read_options(int count, char** arguments)
{
    constexpr std::array<option, 3> known{option{"control-fd", required_argument, nullptr, 'c'},
                                          option{"help", no_argument, nullptr, 'h'}, option{}};
    Options options;
    for (int found = 0; (found = ::getopt_long(count, arguments, "h", known.data(), nullptr)) != -1;) {
        if (found == 'h') {
            options.help = true;
            continue;
        }
        if (found != 'c')
            return std::nullopt;
        const auto* const end = optarg + std::strlen(optarg);
        const auto [stop, error] = std::from_chars(optarg, end, options.control);
        if (error != std::errc() || stop != end)
            return std::nullopt;
    }
    const bool complete = options.help || options.control >= 0;
    return complete && optind == count ? std::optional(options) : std::nullopt;
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
    auto socket = isolate(options->control);
    if (!socket) {
        proxy::diagnostics::fail(describe(socket.error()));
        return exit_failed;
    }
    proxy::serve_control(std::move(*socket));
}
