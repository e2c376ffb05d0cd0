// SPDX-License-Identifier: Apache-2.0
// Names to addresses with c-ares on the event loop: a look-up that hangs keeps nobody else waiting.
#pragma once

#include "policy/base/result.hpp"
#include "proxy/ports/resolver.hpp"
#include "proxy/shell/limits.hpp"

#include <map>
#include <memory>

namespace aduana::proxy {

class NetResolver final : public Resolver {
public:
    struct Settings {
        std::map<std::string, std::vector<policy::Ip>> hosts; ///< fixed addresses by normalised name
        std::vector<std::string> nameservers;                 ///< empty: the host's (resolv.conf)
    };
    [[nodiscard]] static Result<std::unique_ptr<NetResolver>> create(const asio::any_io_executor& executor,
                                                                     Settings settings, const Deadlines& deadlines);
    ~NetResolver() override;
    NetResolver(const NetResolver&) = delete;
    NetResolver& operator=(const NetResolver&) = delete;

    asio::awaitable<Outcome<std::vector<policy::Ip>>> resolve(const policy::Host& name) override;

    class Channel;
    NetResolver(Settings settings, std::shared_ptr<Channel> channel, const Deadlines& deadlines);

private:
    Settings settings_;
    std::shared_ptr<Channel> channel_;
    Deadlines deadlines_;
};

} // namespace aduana::proxy
