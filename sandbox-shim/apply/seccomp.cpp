// SPDX-License-Identifier: Apache-2.0
// The seccomp filter: what would reach round the network, the user namespace or the file owner's rights.
#include "sandbox-shim/apply/seccomp.hpp"

#include <fcntl.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include <linux/sched.h>

namespace aduana::shim {

namespace {

using Filter = std::unique_ptr<void, decltype(&seccomp_release)>;

/// Collects rules; remembers the first that libseccomp refused.
class Rules {
public:
    explicit Rules(scmp_filter_ctx filter) : filter_(filter) {}

    void deny(int syscall, int error, std::vector<scmp_arg_cmp> when = {})
    {
        const int outcome = seccomp_rule_add_array(filter_, SCMP_ACT_ERRNO(static_cast<std::uint32_t>(error)), syscall,
                                                   static_cast<unsigned>(when.size()), when.data());
        if (outcome != 0 && first_error_ == 0)
            first_error_ = outcome;
    }
    [[nodiscard]] int first_error() const { return first_error_; }

private:
    scmp_filter_ctx filter_;
    int first_error_ = 0;
};

/// `argument & mask == value`.
scmp_arg_cmp masked(unsigned argument, std::uint64_t mask, std::uint64_t value)
{
    return {argument, SCMP_CMP_MASKED_EQ, mask, value};
}

/// The kernel reads int arguments as 32 bits, so a comparison of all 64 could be evaded by the upper half.
constexpr std::uint64_t low_half = 0xffffffff;

/// Only unix, IPv4, IPv6 and routing netlink (glibc's getifaddrs). Among the others is AF_VSOCK, which belongs to no
/// network namespace: it reaches the hypervisor from any sandbox.
void deny_sockets(Rules& rules)
{
    static constexpr std::uint64_t netlink_route = 0;
    static constexpr std::uint64_t family_end = 64; // more than any kernel has
    for (std::uint64_t family = 0; family < family_end; ++family)
        if (family != AF_UNIX && family != AF_INET && family != AF_INET6 && family != AF_NETLINK)
            rules.deny(SCMP_SYS(socket), EAFNOSUPPORT, {masked(0, low_half, family)});
    rules.deny(SCMP_SYS(socket), EAFNOSUPPORT, {{0, SCMP_CMP_GE, family_end, 0}});
    rules.deny(SCMP_SYS(socket), EPROTONOSUPPORT,
               {masked(0, low_half, AF_NETLINK), {2, SCMP_CMP_NE, netlink_route, 0}});
    for (const std::uint64_t family : {AF_INET, AF_INET6})
        rules.deny(SCMP_SYS(socket), EPERM, {masked(0, low_half, family), masked(1, 0xf, SOCK_RAW)});
    rules.deny(SCMP_SYS(socketpair), EAFNOSUPPORT, {{0, SCMP_CMP_NE, AF_UNIX, 0}});
}

/// ENOSYS where programs have a fallback that the filter can judge, EPERM elsewhere.
void deny_kernel_interfaces(Rules& rules)
{
    for (const int call : {SCMP_SYS(io_uring_setup), SCMP_SYS(io_uring_enter), SCMP_SYS(io_uring_register)})
        rules.deny(call, ENOSYS); // its operations (socket, openat) are not seen by seccomp
    for (const int call : {SCMP_SYS(bpf),
                           SCMP_SYS(perf_event_open),
                           SCMP_SYS(userfaultfd),
                           SCMP_SYS(add_key),
                           SCMP_SYS(request_key),
                           SCMP_SYS(keyctl),
                           SCMP_SYS(kexec_load),
                           SCMP_SYS(kexec_file_load),
                           SCMP_SYS(init_module),
                           SCMP_SYS(finit_module),
                           SCMP_SYS(delete_module),
                           SCMP_SYS(reboot),
                           SCMP_SYS(swapon),
                           SCMP_SYS(swapoff),
                           SCMP_SYS(acct),
                           SCMP_SYS(quotactl),
                           SCMP_SYS(syslog),
                           SCMP_SYS(settimeofday),
                           SCMP_SYS(clock_settime),
                           SCMP_SYS(adjtimex),
                           SCMP_SYS(clock_adjtime),
                           SCMP_SYS(open_by_handle_at),
                           SCMP_SYS(lookup_dcookie),
                           SCMP_SYS(fanotify_init),
                           SCMP_SYS(move_pages),
                           SCMP_SYS(vhangup),
                           SCMP_SYS(nfsservctl),
                           SCMP_SYS(iopl),
                           SCMP_SYS(ioperm)})
        rules.deny(call, EPERM);
    // Pushing input into the terminal that the sandbox shares with the user's shell.
    for (const std::uint64_t request : {TIOCSTI, 0x541c /* TIOCLINUX */})
        rules.deny(SCMP_SYS(ioctl), EPERM, {masked(1, low_half, request)});
}

/// Allowed are the ordinary personality (0), "no randomised addresses" (debuggers) and the question (all bits).
void deny_personalities(Rules& rules)
{
    static constexpr std::uint64_t no_randomise = 0x0040000;
    static constexpr std::uint64_t top = 0x80000000;
    for (std::uint64_t bit = 1; bit < top; bit <<= 1) {
        if (bit != no_randomise)
            rules.deny(SCMP_SYS(personality), EPERM, {masked(0, top | bit, bit)});
        rules.deny(SCMP_SYS(personality), EPERM, {masked(0, top | bit, top)}); // the question has every bit
    }
}

void deny_namespaces(Rules& rules)
{
    for (const int call : {SCMP_SYS(setns), SCMP_SYS(mount), SCMP_SYS(umount2), SCMP_SYS(pivot_root), SCMP_SYS(chroot),
                           SCMP_SYS(fsopen), SCMP_SYS(fsconfig), SCMP_SYS(fsmount), SCMP_SYS(fspick),
                           SCMP_SYS(open_tree), SCMP_SYS(move_mount), SCMP_SYS(mount_setattr)})
        rules.deny(call, EPERM);
    for (const std::uint64_t flag : {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWNET, CLONE_NEWPID, CLONE_NEWIPC, CLONE_NEWUTS,
                                     CLONE_NEWCGROUP, CLONE_NEWTIME}) {
        rules.deny(SCMP_SYS(unshare), EPERM, {masked(0, flag, flag)});
        if (flag != CLONE_NEWTIME) // shares its bit with the exit signal of clone
            rules.deny(SCMP_SYS(clone), EPERM, {masked(0, flag, flag)});
    }
    rules.deny(SCMP_SYS(clone3),
               ENOSYS); // its flags lie in memory, where a filter cannot look; glibc falls back to clone
}

/// Process 1 waits for the command and ends the sandbox. It has the same user: the command could stop it, and the run
/// would have no end.
void protect_first_process(Rules& rules)
{
    static constexpr std::uint64_t first = 1;
    for (const std::uint64_t request : {PTRACE_ATTACH, PTRACE_SEIZE})
        rules.deny(SCMP_SYS(ptrace), EPERM, {masked(0, low_half, request), masked(1, low_half, first)});
    for (const int call : {SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev), SCMP_SYS(kcmp)})
        rules.deny(call, EPERM, {masked(0, low_half, first)});
    rules.deny(SCMP_SYS(kcmp), EPERM, {masked(1, low_half, first)});
    rules.deny(SCMP_SYS(pidfd_getfd), EPERM); // names a process by a descriptor, which a filter cannot follow
}

/// Files made in the work folder belong to its owner outside, root perhaps: a setuid bit made in here would be that
/// user's shell out there.
void deny_set_id_bits(Rules& rules)
{
    for (const std::uint64_t bit : {S_ISUID, S_ISGID}) {
        rules.deny(SCMP_SYS(fchmod), EPERM, {masked(1, bit, bit)});
        rules.deny(SCMP_SYS(fchmodat), EPERM, {masked(2, bit, bit)});
        rules.deny(SCMP_SYS(mknodat), EPERM, {masked(2, bit, bit)});
        // The mode counts only where a file may be made: elsewhere the argument is whatever the register held.
        for (const std::uint64_t maker : {std::uint64_t{O_CREAT}, std::uint64_t{O_TMPFILE & ~O_DIRECTORY}})
            rules.deny(SCMP_SYS(openat), EPERM, {masked(2, maker, maker), masked(3, bit, bit)});
#ifdef __x86_64__
        rules.deny(SCMP_SYS(chmod), EPERM, {masked(1, bit, bit)});
        rules.deny(SCMP_SYS(creat), EPERM, {masked(1, bit, bit)});
        rules.deny(SCMP_SYS(mknod), EPERM, {masked(1, bit, bit)});
        for (const std::uint64_t maker : {std::uint64_t{O_CREAT}, std::uint64_t{O_TMPFILE & ~O_DIRECTORY}})
            rules.deny(SCMP_SYS(open), EPERM, {masked(1, maker, maker), masked(2, bit, bit)});
#endif
    }
    rules.deny(SCMP_SYS(openat2), ENOSYS); // its mode lies in memory
    static constexpr int fchmodat2 = 452;  // newer than libseccomp 2.5; the same number everywhere
    rules.deny(fchmodat2, ENOSYS);
}

Error failed(const char* what, int error)
{
    return Error{std::string("cannot make the seccomp filter: ") + what + ": " + std::strerror(error),
                 "check that libseccomp is 2.5 or newer"};
}

} // namespace

Result<UniqueFd> seccomp_program()
{
    // A call of another architecture (32-bit, x32) has other numbers, so the filter would not fit: it is the end.
    const Filter filter(seccomp_init(SCMP_ACT_ALLOW), seccomp_release);
    if (!filter)
        return failed("seccomp_init", ENOMEM);
    seccomp_attr_set(filter.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
    Rules rules(filter.get());
    deny_sockets(rules);
    deny_kernel_interfaces(rules);
    deny_personalities(rules);
    deny_namespaces(rules);
    protect_first_process(rules);
    deny_set_id_bits(rules);
    if (rules.first_error() != 0)
        return failed("a rule was refused", -rules.first_error());

    UniqueFd file(::memfd_create("aduana-seccomp", MFD_CLOEXEC));
    if (!file)
        return failed("memfd_create", errno);
    if (const int outcome = seccomp_export_bpf(filter.get(), file.get()); outcome != 0)
        return failed("seccomp_export_bpf", -outcome);
    if (::lseek(file.get(), 0, SEEK_SET) != 0)
        return failed("lseek", errno);
    return file;
}

} // namespace aduana::shim
