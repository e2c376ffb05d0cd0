// SPDX-License-Identifier: Apache-2.0
// The metadata services that a task was given: what they answer to a request. Placeholders alone, never a value.
#pragma once

#include "policy/base/metadata_service.hpp"
#include "proxy/core/rewrite.hpp"
#include "proxy/core/target.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace aduana::proxy {

struct MetadataBinding {
    policy::MetadataService service{};
    std::vector<std::string> values; ///< placeholders: key id, secret and session token of ecs and imds; one of others
    std::string region{};            ///< of imds; empty: it is not told
    std::string token{};             ///< of ecs and imds, to be shown by whoever asks
};

struct MetadataAnswer {
    OutgoingResponse head; ///< without framing
    std::string body;      ///< also for HEAD, which does not get it
};

class Metadata {
public:
    Metadata() = default;
    /// Each service once at most.
    explicit Metadata(std::vector<MetadataBinding> bindings) : bindings_(std::move(bindings)) {}

    /// A service of the task is there; to every other task the address stays closed.
    [[nodiscard]] bool is_at(const policy::Host& host, std::uint16_t port) const;
    /// For a request to one of them: 404 where no service knows what is asked for. What is handed out is good for 6
    /// hours from `now` on, and after that the same: programs should not ask too often.
    [[nodiscard]] MetadataAnswer answer(const RequestHead& head, const Target& target,
                                        std::chrono::sys_seconds now) const;

private:
    std::vector<MetadataBinding> bindings_;
};

} // namespace aduana::proxy
