// SPDX-License-Identifier: Apache-2.0
// aduana-courier: carries the broker's calls to issuers. Started by `aduana` under the broker's uid.
#include "broker/courier/carrier.hpp"
#include "broker/courier/options.hpp"
#include "broker/mint/answer.hpp"
#include "broker/shell/call_filter.hpp"
#include "broker/shell/isolate.hpp"
#include "broker/shell/token_file.hpp"
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
/// For the answers that are under way when the broker ends; less than whoever started us leaves us.
constexpr std::chrono::milliseconds last_patience{700};

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
        auto& files = received->datagram.descriptors;
        if (files.size() != (decoded->keep ? 1U : 0U))
            return Error{"the broker sent a call with " + std::to_string(files.size()) + " descriptors"};
        carrier.begin(std::move(*decoded), files.empty() ? UniqueFd() : std::move(files.front()));
    }
}

/// Before the broker hears of it: it may be gone by then, and the token before this one is worth nothing.
void keep_token(broker::Keeping keeping, const broker::Carried& carried)
{
    const auto* answer = std::get_if<broker::Answer>(&carried);
    const auto token = answer != nullptr ? broker::refresh_token_in(*answer) : std::nullopt;
    if (!token)
        return;
    const auto box = broker::seal_token(keeping.order, *token);
    const auto kept =
        box ? broker::TokenFile(std::move(keeping.file)).write(keeping.order.slot, *box) : Result<Ok>(box.error());
    if (!kept)
        std::fprintf(stderr, "aduana: courier: credential \"%s\": %s\n", keeping.order.credential.c_str(),
                     describe(kept.error()).c_str());
}

void keep_tokens(std::vector<broker::Brought>& done)
{
    for (auto& [frame, keeping] : done) {
        if (auto& wanted = keeping)
            keep_token(std::move(*wanted), frame.carried);
    }
}

/// What nobody waits for any more, but may bring a token that exists nowhere else.
void finish(broker::Carrier& carrier)
{
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + last_patience;
    while (carrier.is_keeping() && Clock::now() < end) {
        carrier.wait(-1, 0, std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()));
        auto done = carrier.take_done();
        keep_tokens(done);
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
        if (!*open) {
            finish(carrier);
            return Ok{};
        }
        const auto events = static_cast<short>(outbox.empty() ? POLLIN : POLLIN | POLLOUT);
        carrier.wait(socket, events, patience);
        auto done = carrier.take_done();
        keep_tokens(done);
        for (const auto& [frame, _] : done)
            outbox.push_back(broker::encode_carried(frame.carried, frame.request));
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
