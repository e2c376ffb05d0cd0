// SPDX-License-Identifier: Apache-2.0
// aduana-courier: carries the broker's calls to issuers. Started by `aduana` under the broker's uid.
#include "broker/courier/carrier.hpp"
#include "broker/courier/options.hpp"
#include "broker/shell/call_filter.hpp"
#include "broker/shell/isolate.hpp"
#include "channel/datagram.hpp"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <deque>

namespace {

using namespace aduana;

constexpr int exit_failed = 1;
constexpr int exit_usage = 2;
constexpr off_t longest_roots = 16 * 1024 * 1024;
/// Nothing happens by itself: this only bounds how long one wait is.
constexpr std::chrono::milliseconds patience{60'000};

Result<std::string> read_roots(const UniqueFd& file)
{
    struct stat about {};
    if (::fstat(file.get(), &about) != 0 || about.st_size <= 0 || about.st_size > longest_roots)
        return Error{"--roots-fd holds no certificates, or more than 16 MiB of them"};
    std::string text(static_cast<std::size_t>(about.st_size), '\0');
    if (::pread(file.get(), text.data(), text.size(), 0) != about.st_size)
        return Error{"--roots-fd cannot be read"};
    return text;
}

/// All frames that have arrived; false: the broker has ended.
Result<bool> take_calls(int socket, broker::Carrier& carrier)
{
    for (;;) {
        auto received = receive_datagram(socket);
        if (!received)
            return received.error();
        if (received->state != ReceiveState::received)
            return received->state == ReceiveState::would_block;
        auto decoded = broker::decode_call(received->datagram.bytes);
        wipe(received->datagram.bytes);
        if (!decoded)
            return Error{"the broker sent a bad frame: " + decoded.error().message};
        carrier.begin(std::move(*decoded));
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

Result<Ok> serve(int socket, broker::CourierSettings settings)
{
    broker::Carrier carrier(std::move(settings));
    if (const auto filtered = broker::filter_courier_calls(); !filtered)
        return filtered.error();
    std::deque<wire::Writer> outbox;
    for (;;) {
        const auto open = take_calls(socket, carrier);
        if (!open)
            return open.error();
        if (!*open)
            return Ok{};
        const auto events = static_cast<short>(outbox.empty() ? POLLIN : POLLIN | POLLOUT);
        carrier.wait(socket, events, patience);
        for (const auto& done : carrier.take_done())
            outbox.push_back(broker::encode_carried(done.carried, done.request));
        if (const auto sent = send_answers(socket, outbox); !sent)
            return sent.error();
    }
}

Result<Ok> run(broker::CourierOptions options)
{
    if (const auto isolated = broker::isolate_courier(options.broker, options.roots); !isolated)
        return isolated.error();
    const UniqueFd socket(options.broker);
    auto roots = read_roots(UniqueFd(options.roots));
    if (!roots)
        return roots.error();
    broker::isolate_memory();
    options.settings.roots = std::move(*roots);
    return serve(socket.get(), std::move(options.settings));
}

} // namespace

int main(int count, char** arguments)
{
    auto options = broker::read_courier_options(count, arguments);
    if (!options) {
        std::fprintf(stderr, "aduana: courier: %s\n%s", describe(options.error()).c_str(), broker::courier_usage);
        return exit_usage;
    }
    if (options->help) {
        std::fputs(broker::courier_usage, stdout);
        return 0;
    }
    const auto result = run(std::move(*options));
    if (result)
        return 0;
    std::fprintf(stderr, "aduana: courier: %s\n", describe(result.error()).c_str());
    return exit_failed;
}
