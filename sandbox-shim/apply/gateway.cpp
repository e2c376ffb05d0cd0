// SPDX-License-Identifier: Apache-2.0
// Makes the gateway's namespace, then the sandbox's, then the veth that joins them.
#include "sandbox-shim/apply/gateway.hpp"

#include "sandbox-shim/apply/failure.hpp"
#include "sandbox-shim/apply/listeners.hpp"
#include "sandbox-shim/apply/route_socket.hpp"

#include <fcntl.h>
#include <linux/rtnetlink.h>
#include <nftables/libnftables.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <memory>

namespace aduana::shim {

namespace {

constexpr const char* sandbox_ipv4 = "198.18.0.2";
constexpr const char* sandbox_ipv6 = "fd00::2";
constexpr std::uint32_t catch_all_table = 100;
constexpr std::uint32_t after_main_table = 40000;

UniqueFd current_network()
{
    return UniqueFd(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
}

/// Brings the thread back to the namespace that it was made in.
class NetworkVisit {
public:
    explicit NetworkVisit(UniqueFd home) : home_(std::move(home)) {}
    NetworkVisit(const NetworkVisit&) = delete;
    ~NetworkVisit()
    {
        // To go on in the wrong network would mean to open the journal's or the broker's sockets there.
        if (::setns(home_.get(), CLONE_NEWNET) != 0)
            std::abort();
    }

private:
    UniqueFd home_;
};

/// Settings of the namespace that the thread is in. A file that is not there means that the kernel lacks the feature.
Result<Ok> write_setting(const char* path, const char* value)
{
    const UniqueFd file(::open(path, O_WRONLY | O_CLOEXEC));
    if (!file && errno == ENOENT)
        return Ok{};
    if (!file || ::write(file.get(), value, 1) != 1)
        return system_failure(std::string("write ") + path);
    return Ok{};
}

/// All steps have been tried by the time this looks at them; the first failure counts, and whoever asked gives up.
Result<Ok> all_of(std::initializer_list<Result<Ok>> steps)
{
    for (const Result<Ok>& step : steps)
        if (!step)
            return step;
    return Ok{};
}

/// A new IPv4 namespace copies the host's settings: on a host that forwards it would forward as well.
Result<Ok> forbid_forwarding()
{
    return all_of({write_setting("/proc/sys/net/ipv4/ip_forward", "0"),
                   write_setting("/proc/sys/net/ipv6/conf/all/forwarding", "0")});
}

/// Without it the gateway would answer a ping to any address, and every host would seem to be up.
Result<Ok> forbid_echo()
{
    return all_of({write_setting("/proc/sys/net/ipv4/icmp_echo_ignore_all", "1"),
                   write_setting("/proc/sys/net/ipv6/icmp/echo_ignore_all", "1")});
}

/// For links that are made later. What the sandbox advertises must not become a route of the gateway's: it would
/// swallow what the gateway is there to catch. A host may have IPv6 off by default; here it is wanted.
Result<Ok> settle_ipv6()
{
    return all_of({write_setting("/proc/sys/net/ipv6/conf/all/disable_ipv6", "0"),
                   write_setting("/proc/sys/net/ipv6/conf/default/disable_ipv6", "0"),
                   write_setting("/proc/sys/net/ipv6/conf/default/accept_ra", "0"),
                   write_setting("/proc/sys/net/ipv6/conf/default/autoconf", "0"),
                   write_setting("/proc/sys/net/ipv6/conf/default/accept_redirects", "0")});
}

Result<Ok> forbid_ipv6()
{
    return all_of({write_setting("/proc/sys/net/ipv6/conf/all/disable_ipv6", "1"),
                   write_setting("/proc/sys/net/ipv6/conf/default/disable_ipv6", "1")});
}

/// TCP to ports without a listener of their own goes to one listener; the rest needs no connection tracking.
Result<Ok> redirect_other_ports(const MakeGateway& op)
{
    const std::string family = op.ipv6 ? "inet" : "ip";
    const std::string own =
        "{ 53, 80, 443, " + std::to_string(proxy_port) + ", " + std::to_string(redirected_port) + " }";
    const std::string rules = "table " + family +
                              " gateway {\n"
                              " chain others {\n"
                              "  type nat hook prerouting priority dstnat;\n"
                              "  tcp dport != " +
                              own + " redirect to :" + std::to_string(redirected_port) +
                              "\n"
                              " }\n"
                              "}\n";
    const std::unique_ptr<nft_ctx, void (*)(nft_ctx*)> nft(nft_ctx_new(NFT_CTX_DEFAULT), nft_ctx_free);
    if (!nft || nft_ctx_buffer_error(nft.get()) != 0)
        return Error{"cannot use nftables", "use a kernel with nf_tables"};
    if (nft_run_cmd_from_buffer(nft.get(), rules.c_str()) != 0) {
        std::string why = nft_ctx_get_error_buffer(nft.get());
        why.resize(std::min(why.size(), why.find('\n')));
        return Error{"cannot redirect ports inside the gateway: " + why,
                     "use a kernel with nf_tables, nft_nat and nft_redir"};
    }
    return Ok{};
}

Result<Ok> join_ipv4(RouteSocket& gateway, RouteSocket& sandbox)
{
    // The kernel sends from an address only if the local table knows it, hence that table.
    return all_of({gateway.add_address(peer_index, gateway_ipv4, 30),
                   gateway.add_local_everything(AF_INET, RT_TABLE_LOCAL),
                   sandbox.add_address(veth_index, sandbox_ipv4, 30), sandbox.add_default_route(gateway_ipv4)});
}

Result<Ok> join_ipv6(RouteSocket& gateway, RouteSocket& sandbox)
{
    // In the local table it would swallow the replies to the sandbox as well: it must come after the main table.
    return all_of({gateway.add_address(peer_index, gateway_ipv6, 64),
                   gateway.add_local_everything(AF_INET6, catch_all_table),
                   gateway.add_rule(AF_INET6, catch_all_table, after_main_table),
                   sandbox.add_address(veth_index, sandbox_ipv6, 64), sandbox.add_default_route(gateway_ipv6)});
}

Result<Ok> join(RouteSocket& gateway, RouteSocket& sandbox, int gateway_network, const MakeGateway& op)
{
    auto links = all_of({sandbox.add_veth("eth0", "sb", gateway_network), sandbox.set_up(loopback_index),
                         sandbox.set_up(veth_index), gateway.set_up(peer_index)});
    if (!links)
        return links;
    if (auto ipv4 = join_ipv4(gateway, sandbox); !ipv4 || !op.ipv6)
        return ipv4;
    return join_ipv6(gateway, sandbox);
}

/// A new namespace with the settings that both have in common; the thread is in it afterwards.
Result<RouteSocket> enter_new_network(const MakeGateway& op)
{
    if (::unshare(CLONE_NEWNET) != 0)
        return system_failure("make a network namespace", "run as root, with CAP_SYS_ADMIN");
    if (auto quiet = forbid_forwarding(); !quiet)
        return quiet.error();
    if (auto settled = op.ipv6 ? settle_ipv6() : forbid_ipv6(); !settled)
        return settled.error();
    return RouteSocket::open();
}

} // namespace

Result<Gateway> make_gateway(const MakeGateway& op)
{
    UniqueFd home = current_network();
    if (!home)
        return system_failure("open /proc/thread-self/ns/net", "mount /proc");
    const NetworkVisit visit(std::move(home));

    auto gateway = enter_new_network(op);
    if (!gateway)
        return gateway.error();
    const UniqueFd gateway_network = current_network();
    if (auto ready = all_of({forbid_echo(), gateway->set_up(loopback_index), redirect_other_ports(op)}); !ready)
        return ready.error();
    auto listeners = open_listeners(op);
    if (!listeners)
        return listeners.error();

    auto sandbox = enter_new_network(op);
    if (!sandbox)
        return sandbox.error();
    if (auto joined = join(*gateway, *sandbox, gateway_network.get(), op); !joined)
        return joined.error();
    return Gateway{current_network(), std::move(*listeners)};
}

} // namespace aduana::shim
