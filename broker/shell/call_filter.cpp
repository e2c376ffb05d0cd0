// SPDX-License-Identifier: Apache-2.0
// The list, and its translation by libseccomp.
#include "broker/shell/call_filter.hpp"

#include <fcntl.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <system_error>
#include <type_traits>

namespace aduana::broker {
namespace {

#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

constexpr std::array allowed = {
    // Datagrams and the files that come with them.
    SCMP_SYS(recvmsg), SCMP_SYS(recvfrom), SCMP_SYS(sendmsg), SCMP_SYS(poll), SCMP_SYS(ppoll), SCMP_SYS(read),
    SCMP_SYS(pread64), SCMP_SYS(pwrite64), SCMP_SYS(fdatasync), SCMP_SYS(ftruncate), SCMP_SYS(flock), SCMP_SYS(fstat),
    SCMP_SYS(newfstatat), SCMP_SYS(lseek), SCMP_SYS(close),
    // Memory; mmap and mprotect have rules of their own.
    SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(brk), SCMP_SYS(madvise), SCMP_SYS(mlock), SCMP_SYS(munlock),
    // Time, randomness, locks.
    SCMP_SYS(clock_gettime), SCMP_SYS(gettimeofday), SCMP_SYS(getrandom), SCMP_SYS(futex), SCMP_SYS(restart_syscall),
    // Signals and the end, also by abort(3).
    SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn), SCMP_SYS(getpid), SCMP_SYS(gettid),
    SCMP_SYS(exit), SCMP_SYS(exit_group)};

constexpr std::array fatal = {
    SCMP_SYS(execve),           SCMP_SYS(execveat),         SCMP_SYS(fork),    SCMP_SYS(vfork), SCMP_SYS(clone),
    SCMP_SYS(clone3),           SCMP_SYS(socket),           SCMP_SYS(connect), SCMP_SYS(bind),  SCMP_SYS(ptrace),
    SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev)};

constexpr std::array fatal_to_couriers = {SCMP_SYS(execve),
                                          SCMP_SYS(execveat),
                                          SCMP_SYS(ptrace),
                                          SCMP_SYS(process_vm_readv),
                                          SCMP_SYS(process_vm_writev),
                                          SCMP_SYS(listen),
                                          SCMP_SYS(accept),
                                          SCMP_SYS(accept4),
                                          SCMP_SYS(mount),
                                          SCMP_SYS(unshare),
                                          SCMP_SYS(setns),
                                          SCMP_SYS(bpf),
                                          SCMP_SYS(keyctl),
                                          SCMP_SYS(io_uring_setup),
                                          SCMP_SYS(userfaultfd),
                                          SCMP_SYS(perf_event_open)};

struct ReleaseFilter {
    void operator()(void* filter) const noexcept { seccomp_release(filter); }
};
using Filter = std::unique_ptr<std::remove_pointer_t<scmp_filter_ctx>, ReleaseFilter>;

Error failed(const char* what, int error)
{
    return {std::string("the filter of system calls cannot be set up: ") + what + ": " +
                std::generic_category().message(-error),
            "the kernel needs CONFIG_SECCOMP_FILTER"};
}

int add_lists(scmp_filter_ctx filter)
{
    int error = 0;
    for (const int call : allowed)
        error = error != 0 ? error : seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0);
    for (const int call : fatal)
        error = error != 0 ? error : seccomp_rule_add(filter, SCMP_ACT_KILL_PROCESS, call, 0);
    return error;
}

// Calls that are allowed with some arguments only.
int add_narrow(scmp_filter_ctx filter)
{
    const scmp_arg_cmp no_code{2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0};
    const scmp_arg_cmp to_stderr{0, SCMP_CMP_EQ, STDERR_FILENO, 0};
    const scmp_arg_cmp to_itself{0, SCMP_CMP_EQ, static_cast<scmp_datum_t>(::getpid()), 0};
    const scmp_arg_cmp a_copy{1, SCMP_CMP_EQ, F_DUPFD_CLOEXEC, 0};
    int error = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1, no_code);
    error = error != 0 ? error : seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(fcntl), 1, a_copy);
    error = error != 0 ? error : seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1, no_code);
    error = error != 0 ? error : seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(write), 1, to_stderr);
    error = error != 0 ? error : seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(writev), 1, to_stderr);
    return error != 0 ? error : seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1, to_itself);
}

} // namespace

Result<Ok> filter_calls()
{
    if (sanitized)
        return Ok{};
    const Filter filter(seccomp_init(SCMP_ACT_ERRNO(EPERM)));
    if (!filter)
        return failed("seccomp_init", -ENOMEM);
    if (const int error = add_lists(filter.get()); error != 0)
        return failed("seccomp_rule_add", error);
    if (const int error = add_narrow(filter.get()); error != 0)
        return failed("seccomp_rule_add", error);
    if (const int error = seccomp_load(filter.get()); error != 0)
        return failed("seccomp_load", error);
    return Ok{};
}

Result<Ok> filter_courier_calls()
{
    if (sanitized)
        return Ok{};
    const Filter filter(seccomp_init(SCMP_ACT_ALLOW));
    if (!filter)
        return failed("seccomp_init", -ENOMEM);
    for (const int call : fatal_to_couriers) {
        if (const int error = seccomp_rule_add(filter.get(), SCMP_ACT_KILL_PROCESS, call, 0); error != 0)
            return failed("seccomp_rule_add", error);
    }
    if (const int error = seccomp_load(filter.get()); error != 0)
        return failed("seccomp_load", error);
    return Ok{};
}

} // namespace aduana::broker
