// SPDX-License-Identifier: Apache-2.0
// Where this process listens in its own network: a task that dialled another task's listener would speak as that task.
#pragma once

#include "policy/address.hpp"

#include <list>
#include <mutex>
#include <optional>

namespace aduana::proxy {

/// One for the process; the workers share it.
class OwnListeners {
public:
    struct Place {
        policy::Ip ip;
        bool any; ///< bound to every address of the machine
        std::uint16_t port;
    };
    /// A listener that is known while this lives.
    class Standing {
    public:
        /// Listeners in another network (gateways) are not noted: the same address is another place there.
        Standing(OwnListeners& all, int socket);
        ~Standing();
        Standing(const Standing&) = delete;
        Standing& operator=(const Standing&) = delete;

    private:
        OwnListeners& all_;
        std::optional<std::list<Place>::iterator> place_; ///< none: not noted
    };

    [[nodiscard]] bool stands_at(const policy::PinnedAddress& address) const;

private:
    mutable std::mutex mutex_;
    std::list<Place> places_;
};

[[nodiscard]] OwnListeners& own_listeners();

} // namespace aduana::proxy
