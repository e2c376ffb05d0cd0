// SPDX-License-Identifier: Apache-2.0
// The broker as a function: a message of a peer in; a reply, or calls to issuers and the reply later. No sockets, no
// clock, no files.
#pragma once

#include "broker/core/permits.hpp"
#include "broker/core/task.hpp"

namespace aduana::broker {

/// Tasks that are open at the same time.
inline constexpr std::size_t max_tasks = 4096;

/// Who asks, and under which number.
struct Sender {
    Peer peer = Peer::proxy;
    std::uint64_t request = 0;
};

struct Reply {
    Sender to;
    Message message;
};

struct Outcome {
    /// To the message that was handled, or to earlier ones that had to wait.
    std::vector<Reply> replies{};
    std::vector<Errand> errands{};
    /// Set if the peer broke the rules and must be hung up on: what it did.
    std::optional<Error> breach{};
};

class Broker {
public:
    /// Its errands are numbered from `first_errand`.
    explicit Broker(Random random, std::uint64_t first_errand = 1)
        : random_(std::move(random)), next_errand_(first_errand)
    {
    }

    /// `material` belongs to a TaskOpen and is empty for every other message.
    [[nodiscard]] Outcome handle(const Message& message, Sender sender, Moment now, const Material& material = {});
    /// What became of an errand. Of one that is not known any more: nothing.
    [[nodiscard]] Outcome returned(std::uint64_t errand, const Carried& carried, Moment now);
    /// What time alone brings.
    [[nodiscard]] Outcome tick(Moment now);
    [[nodiscard]] std::optional<Instant> next_tick() const;

    /// The opener is gone: every task ends, and what issuers can take back is taken back, for 1.5 s at most.
    [[nodiscard]] Outcome abandon(Moment now);
    /// Nothing is left to be taken back.
    [[nodiscard]] bool idle() const noexcept { return closing_.empty(); }

private:
    /// A task that has ended, while its values are taken back.
    struct Closing {
        MintDesk desk;
        Sweep sweep;
        TaskClosed closed;
        std::optional<Sender> closer;
        Instant deadline;

        [[nodiscard]] bool is_over(Instant now) const { return (desk.idle() && sweep.idle()) || now >= deadline; }
    };

    [[nodiscard]] Message open(const TaskOpen& request, const Material& material, Instant now, Outcome& outcome);
    void close(const TaskClose& request, Sender sender, Moment now, Outcome& outcome);
    void begin_closing(Task& task, std::optional<Sender> closer, Moment now, Outcome& outcome);
    void end_closings(Instant now, Outcome& outcome);

    /// Unset if the answer comes later.
    [[nodiscard]] std::optional<Message> acquire(Waiter waiter, Moment now, Outcome& outcome);
    [[nodiscard]] std::optional<Message> acquire_minted(Task& task, const policy::CredentialDeclaration& declaration,
                                                        Waiter waiter, Moment now, Outcome& outcome);
    void settle(DeskTurn turn, Moment now, Outcome& outcome);
    [[nodiscard]] Message sign(const Sign& request, Moment now);
    void release(const Release& request);
    [[nodiscard]] DeskWorld world(Moment now) { return {now, random_, next_errand_}; }

    Random random_;
    Phase phase_ = Phase::fresh;
    std::map<std::string, Task> tasks_; ///< by handle
    std::vector<Closing> closing_;
    std::uint64_t next_errand_;
};

} // namespace aduana::broker
