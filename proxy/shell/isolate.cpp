// SPDX-License-Identifier: Apache-2.0
// User, descriptors, signals, memory and system calls.
#include "proxy/shell/isolate.hpp"

#include "policy/base/secret.hpp"

#include <seccomp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <memory>
#include <system_error>
#include <type_traits>

namespace aduana::proxy {

namespace {

constexpr const char* start_hint = "aduana-proxy is started by `aduana`, not by hand";

/// A parser of strangers' bytes that was taken over finds neither programs to run nor processes to look into.
constexpr std::array fatal = {SCMP_SYS(execve),
                              SCMP_SYS(execveat),
                              SCMP_SYS(ptrace),
                              SCMP_SYS(process_vm_readv),
                              SCMP_SYS(process_vm_writev),
                              SCMP_SYS(mount),
                              SCMP_SYS(umount2),
                              SCMP_SYS(pivot_root),
                              SCMP_SYS(chroot),
                              SCMP_SYS(setns),
                              SCMP_SYS(unshare),
                              SCMP_SYS(bpf),
                              SCMP_SYS(perf_event_open),
                              SCMP_SYS(userfaultfd),
                              SCMP_SYS(keyctl),
                              SCMP_SYS(add_key),
                              SCMP_SYS(request_key),
                              SCMP_SYS(init_module),
                              SCMP_SYS(kexec_load),
                              SCMP_SYS(pidfd_getfd),
                              SCMP_SYS(io_uring_setup)};

constexpr std::array<int, 3> families = {AF_UNIX, AF_INET, AF_INET6};

struct ReleaseFilter {
    void operator()(void* filter) const noexcept { seccomp_release(filter); }
};
using Filter = std::unique_ptr<std::remove_pointer_t<scmp_filter_ctx>, ReleaseFilter>;

Error system_error(const std::string& what, int error)
{
    return {what + ": " + std::generic_category().message(error)};
}

int refuse_families(scmp_filter_ctx filter)
{
    int error = 0;
    for (int family = 0; family < AF_MAX && error == 0; ++family) {
        if (std::find(families.begin(), families.end(), family) != families.end())
            continue;
        error = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EAFNOSUPPORT), SCMP_SYS(socket), 1,
                                 scmp_arg_cmp{0, SCMP_CMP_EQ, static_cast<scmp_datum_t>(family), 0});
    }
    if (error != 0)
        return error;
    return seccomp_rule_add(filter, SCMP_ACT_ERRNO(EAFNOSUPPORT), SCMP_SYS(socket), 1,
                            scmp_arg_cmp{0, SCMP_CMP_GE, AF_MAX, 0});
}

} // namespace

Result<UniqueFd> isolate_inherited(int control)
{
    uid_t real = 0;
    uid_t effective = 0;
    uid_t saved = 0;
    if (::getresuid(&real, &effective, &saved) != 0)
        return system_error("getresuid", errno);
    if (real == 0 || effective == 0 || saved == 0)
        return Error{"aduana-proxy refuses to run as root", start_hint};
    int type = 0;
    socklen_t size = sizeof(type);
    if (control <= STDERR_FILENO || ::getsockopt(control, SOL_SOCKET, SO_TYPE, &type, &size) != 0 ||
        type != SOCK_SEQPACKET)
        return Error{"--control-fd or --sessions-fd must name the end of a SEQPACKET pair", start_hint};
    const auto keep = static_cast<unsigned>(control);
    const bool closed = (keep == 3 || ::close_range(3, keep - 1, 0) == 0) && ::close_range(keep + 1, ~0U, 0) == 0;
    if (!closed)
        return system_error("closing inherited descriptors", errno);
    // The caller's folder must not stay busy because of this process.
    if (::chdir("/") != 0)
        return system_error("chdir /", errno);
    // ^C at the terminal reaches the whole process group, but the task may still be talking while it ends: the proxy
    // ends when its control socket closes.
    for (const int signal : {SIGINT, SIGQUIT, SIGHUP, SIGPIPE})
        std::signal(signal, SIG_IGN);
    return UniqueFd(control);
}

void isolate_memory() noexcept
{
    forbid_dumps();
}

Result<Ok> isolate_calls()
{
    const Filter filter(seccomp_init(SCMP_ACT_ALLOW));
    int error = filter ? 0 : -ENOMEM;
    for (const int call : fatal)
        error = error != 0 ? error : seccomp_rule_add(filter.get(), SCMP_ACT_KILL_PROCESS, call, 0);
    error = error != 0 ? error : refuse_families(filter.get());
    error = error != 0 ? error : seccomp_load(filter.get());
    if (error != 0)
        return Error{"the filter of system calls cannot be set up: " + std::generic_category().message(-error),
                     "the kernel needs CONFIG_SECCOMP_FILTER"};
    return Ok{};
}

} // namespace aduana::proxy
