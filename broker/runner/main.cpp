// SPDX-License-Identifier: Apache-2.0
// aduana-runner: runs the operator's programs that print credentials. Started by `aduana` under the broker's uid.
#include "broker/runner/runs.hpp"
#include "broker/shell/isolate.hpp"
#include "channel/datagram.hpp"
#include "policy/base/secret.hpp"

#include <getopt.h>
#include <poll.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <deque>
#include <optional>

namespace {

using namespace aduana;

constexpr int exit_failed = 1;
constexpr int exit_usage = 2;

constexpr const char* usage =
    "usage: aduana-runner --broker-fd N\n"
    "\n"
    "Runs programs that print credentials, for aduana-broker. `aduana` starts it, without root, with one end of a\n"
    "SEQPACKET pair on descriptor N; it ends when that closes.\n"
    "\n"
    "  --broker-fd N     from aduana-broker\n"
    "\n"
    "example: aduana-runner --broker-fd 3\n";

struct Options {
    int broker = -1;
    bool help = false;
};

std::optional<Options> read_options(int count, char** arguments)
{
    constexpr std::array<option, 3> known{option{"broker-fd", required_argument, nullptr, 'b'},
                                          option{"help", no_argument, nullptr, 'h'}, option{}};
    Options options;
    for (int found = 0; (found = ::getopt_long(count, arguments, "h", known.data(), nullptr)) != -1;) {
        if (found == 'h') {
            options.help = true;
            continue;
        }
        const char* end = found == 'b' ? optarg + std::strlen(optarg) : nullptr;
        const bool number = end != nullptr && std::from_chars(optarg, end, options.broker).ptr == end;
        if (!number)
            return std::nullopt;
    }
    const bool complete = options.help || options.broker >= 0;
    return complete && optind == count ? std::optional(options) : std::nullopt;
}

/// All frames that have arrived; false: the broker has ended.
Result<bool> take_orders(int socket, broker::Runs& runs)
{
    for (;;) {
        auto received = receive_datagram(socket);
        if (!received)
            return received.error();
        if (received->state != ReceiveState::received)
            return received->state == ReceiveState::would_block;
        const auto decoded = broker::decode_run(received->datagram.bytes);
        if (!decoded)
            return Error{"the broker sent a bad frame: " + decoded.error().message};
        runs.begin(*decoded, broker::Runs::Clock::now());
    }
}

Result<Ok> send_answers(int socket, std::deque<wire::Writer>& outbox)
{
    pollfd room{socket, POLLOUT, 0};
    while (!outbox.empty() && ::poll(&room, 1, 0) == 1) {
        if (const auto sent = send_datagram(socket, outbox.front().frame(), {}); !sent)
            return sent.error();
        outbox.pop_front();
    }
    return Ok{};
}

Result<Ok> serve(int socket)
{
    broker::Runs runs;
    std::deque<wire::Writer> outbox;
    for (;;) {
        const auto open = take_orders(socket, runs);
        if (!open)
            return open.error();
        if (!*open)
            return Ok{};
        runs.wait(socket, static_cast<short>(outbox.empty() ? POLLIN : POLLIN | POLLOUT));
        for (const auto& done : runs.take_done())
            outbox.push_back(broker::encode_carried(done.carried, done.request));
        if (const auto sent = send_answers(socket, outbox); !sent)
            return sent.error();
    }
}

Result<Ok> run(int descriptor)
{
    if (const auto isolated = broker::isolate_runner(descriptor); !isolated)
        return isolated.error();
    const UniqueFd socket(descriptor);
    broker::isolate_memory();
    return serve(socket.get());
}

} // namespace

int main(int count, char** arguments)
{
    const auto options = read_options(count, arguments);
    if (!options || options->help) {
        std::fputs(usage, options ? stdout : stderr);
        return options ? 0 : exit_usage;
    }
    const auto result = run(options->broker);
    if (result)
        return 0;
    std::fprintf(stderr, "aduana: runner: %s\n", describe(result.error()).c_str());
    return exit_failed;
}
