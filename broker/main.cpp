// SPDX-License-Identifier: Apache-2.0
// aduana-broker: holds the secrets of tasks and lends them to the proxy. Started by `aduana` under a uid of its own.
#include "broker/shell/diagnostics.hpp"
#include "broker/shell/isolate.hpp"
#include "broker/shell/server.hpp"

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

constexpr const char* usage =
    "usage: aduana-broker --control-fd N --proxy-fd M [--courier-fd K] [--runner-fd L]\n"
    "       aduana-broker --sessions-fd N [--courier-fd K] [--runner-fd L]\n"
    "\n"
    "Holds the credentials of tasks and lends them to aduana-proxy. `aduana` starts it, without root, with one end of\n"
    "a SEQPACKET pair on each descriptor; it ends when the control socket closes.\n"
    "\n"
    "  --control-fd N    from the program that opens tasks\n"
    "  --proxy-fd M      from aduana-proxy\n"
    "  --sessions-fd N   from a program that hands over such pairs, one for each task of the machine\n"
    "  --courier-fd K    to aduana-courier, which carries calls to issuers; without it nobody is asked\n"
    "  --runner-fd L     to aduana-runner, which runs programs that print credentials; without it none is run\n"
    "\n"
    "example: aduana-broker --control-fd 3 --proxy-fd 4\n";

struct Options {
    int control = -1;
    int proxy = -1;
    int sessions = -1;
    broker::HelperNumbers helpers{};
    bool help = false;
};

std::optional<int> read_descriptor(const char* text)
{
    int value = -1;
    const auto* end = text + std::strlen(text);
    const auto [stop, error] = std::from_chars(text, end, value);
    if (error != std::errc() || stop != end || value < 0)
        return std::nullopt;
    return value;
}

/// False: no such option, or not with such a value.
bool take_option(Options& options, int found, std::optional<int> descriptor)
{
    if (found == 'h')
        options.help = true;
    else if (found == 'c' && descriptor)
        options.control = *descriptor;
    else if (found == 'p' && descriptor)
        options.proxy = *descriptor;
    else if (found == 's' && descriptor)
        options.sessions = *descriptor;
    else if (found == 'r' && descriptor)
        options.helpers.courier = *descriptor;
    else if (found == 'x' && descriptor)
        options.helpers.runner = *descriptor;
    else
        return false;
    return true;
}

std::optional<Options> read_options(int count, char** arguments)
{
    constexpr std::array<option, 7> known{option{"control-fd", required_argument, nullptr, 'c'},
                                          option{"proxy-fd", required_argument, nullptr, 'p'},
                                          option{"sessions-fd", required_argument, nullptr, 's'},
                                          option{"courier-fd", required_argument, nullptr, 'r'},
                                          option{"runner-fd", required_argument, nullptr, 'x'},
                                          option{"help", no_argument, nullptr, 'h'},
                                          option{}};
    Options options;
    for (int found = 0; (found = ::getopt_long(count, arguments, "h", known.data(), nullptr)) != -1;) {
        const auto descriptor = optarg != nullptr ? read_descriptor(optarg) : std::nullopt;
        if (!take_option(options, found, descriptor))
            return std::nullopt;
    }
    const bool pair = options.control >= 0 && options.proxy >= 0 && options.sessions < 0;
    const bool many = options.control < 0 && options.proxy < 0 && options.sessions >= 0;
    const bool complete = options.help || pair || many;
    return complete && optind == count ? std::optional(options) : std::nullopt;
}

template <class Inherited>
Result<Ok> run(Inherited inherited)
{
    if (!inherited)
        return inherited.error();
    broker::isolate_memory();
    broker::Server server(std::move(inherited->peers), std::move(inherited->helpers), broker::fill_random);
    if (const auto isolated = broker::isolate_calls(); !isolated)
        return isolated.error();
    return server.serve();
}

} // namespace

int main(int count, char** arguments)
{
    broker::start_diagnostics();
    const auto options = read_options(count, arguments);
    if (!options) {
        std::fputs(usage, stderr);
        return exit_usage;
    }
    if (options->help) {
        std::fputs(usage, stdout);
        return 0;
    }
    const auto result = options->sessions >= 0
                            ? run(broker::isolate_inherited(options->sessions, options->helpers))
                            : run(broker::isolate_inherited(options->control, options->proxy, options->helpers));
    if (result)
        return 0;
    broker::complain(result.error());
    return exit_failed;
}
