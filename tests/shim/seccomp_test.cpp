// SPDX-License-Identifier: Apache-2.0
// The filter, live: each call is tried in a child that has it, and again without it where that can be done.
#include "sandbox-shim/apply/seccomp.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <functional>
#include <vector>

using namespace aduana;
using namespace aduana::shim;

namespace {

bool apply_filter()
{
    const auto program = seccomp_program();
    if (!program)
        return false;
    struct stat size = {};
    ::fstat(program->get(), &size);
    std::vector<sock_filter> code(static_cast<std::size_t>(size.st_size) / sizeof(sock_filter));
    if (::read(program->get(), code.data(), static_cast<std::size_t>(size.st_size)) != size.st_size)
        return false;
    const sock_fprog filter = {static_cast<unsigned short>(code.size()), code.data()};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

/// The wait status of a child that exits with what `call` returns.
int status_of(const std::function<int()>& call)
{
    const pid_t child = ::fork();
    if (child == 0)
        ::_exit(call());
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
}

int status_under_filter(const std::function<int()>& call)
{
    return status_of([&call] { return apply_filter() ? call() : 255; });
}

/// 0, or the errno of the call.
int outcome(long result)
{
    return result < 0 ? errno : 0;
}

int socket_outcome(int family, int type, int protocol)
{
    return outcome(::socket(family, type, protocol));
}

struct Case {
    const char* sentence;
    std::function<int()> call;
    int expected;
};

void check(const std::vector<Case>& cases)
{
    for (const Case& one : cases) {
        SCOPED_TRACE(one.sentence);
        const int status = status_under_filter(one.call);
        EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
        EXPECT_EQ(WEXITSTATUS(status), one.expected) << std::strerror(WEXITSTATUS(status));
    }
}

TEST(Seccomp, GivesOnlyTheSocketsThatStayInTheNetwork)
{
    check({
        {"unix sockets work", [] { return socket_outcome(AF_UNIX, SOCK_STREAM, 0); }, 0},
        {"IPv4 works", [] { return socket_outcome(AF_INET, SOCK_STREAM, 0); }, 0},
        {"IPv6 works", [] { return socket_outcome(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0); }, 0},
        {"routing netlink works: getifaddrs needs it",
         [] { return socket_outcome(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE); }, 0},
        {"other netlink does not", [] { return socket_outcome(AF_NETLINK, SOCK_RAW, NETLINK_NETFILTER); },
         EPROTONOSUPPORT},
        {"vsock belongs to no network namespace", [] { return socket_outcome(AF_VSOCK, SOCK_STREAM, 0); },
         EAFNOSUPPORT},
        {"packet sockets see the link", [] { return socket_outcome(AF_PACKET, SOCK_RAW, 0); }, EAFNOSUPPORT},
        {"bluetooth", [] { return socket_outcome(AF_BLUETOOTH, SOCK_RAW, 0); }, EAFNOSUPPORT},
        {"the kernel's crypto interface", [] { return socket_outcome(AF_ALG, SOCK_SEQPACKET, 0); }, EAFNOSUPPORT},
        {"XDP", [] { return socket_outcome(44, SOCK_RAW, 0); }, EAFNOSUPPORT},
        {"a family of the future", [] { return socket_outcome(77, SOCK_STREAM, 0); }, EAFNOSUPPORT},
        {"raw IPv4", [] { return socket_outcome(AF_INET, SOCK_RAW | SOCK_NONBLOCK, IPPROTO_ICMP); }, EPERM},
        {"raw IPv6", [] { return socket_outcome(AF_INET6, SOCK_RAW, IPPROTO_ICMPV6); }, EPERM},
        {"a family hidden behind the upper half of the register",
         [] { return outcome(::syscall(SYS_socket, (1UL << 32) | AF_VSOCK, SOCK_STREAM, 0)); }, EAFNOSUPPORT},
    });
}

TEST(Seccomp, KeepsKernelInterfacesShut)
{
    check({
        {"io_uring_setup", [] { return outcome(::syscall(SYS_io_uring_setup, 1, nullptr)); }, ENOSYS},
        {"io_uring_enter", [] { return outcome(::syscall(SYS_io_uring_enter, -1, 0, 0, 0, nullptr, 0)); }, ENOSYS},
        {"bpf", [] { return outcome(::syscall(SYS_bpf, 0, nullptr, 0)); }, EPERM},
        {"keyctl", [] { return outcome(::syscall(SYS_keyctl, 0, 0)); }, EPERM},
        {"add_key", [] { return outcome(::syscall(SYS_add_key, "user", "x", "x", 1, -2)); }, EPERM},
        {"userfaultfd", [] { return outcome(::syscall(SYS_userfaultfd, 1)); }, EPERM},
        {"perf_event_open", [] { return outcome(::syscall(SYS_perf_event_open, nullptr, 0, 0, 0, 0)); }, EPERM},
        {"init_module", [] { return outcome(::syscall(SYS_init_module, nullptr, 0, "")); }, EPERM},
        {"kexec_load", [] { return outcome(::syscall(SYS_kexec_load, 0, 0, nullptr, 0)); }, EPERM},
        {"TIOCSTI", [] { return outcome(::ioctl(0, TIOCSTI, "x")); }, EPERM},
        {"TIOCSTI behind the upper half", [] { return outcome(::syscall(SYS_ioctl, 0, (1UL << 32) | TIOCSTI, "x")); },
         EPERM},
        {"TIOCLINUX", [] { return outcome(::ioctl(0, 0x541c, "x")); }, EPERM},
        {"an ordinary ioctl is judged by the kernel", [] { return outcome(::ioctl(-1, TIOCGWINSZ, nullptr)); }, EBADF},
        {"personality may be asked for", [] { return outcome(::personality(0xffffffff)); }, 0},
        {"a debugger may switch randomised addresses off", [] { return outcome(::personality(ADDR_NO_RANDOMIZE)); }, 0},
        {"executable data may not be had", [] { return outcome(::personality(READ_IMPLIES_EXEC)); }, EPERM},
        {"nor by a trick with the top bit", [] { return outcome(::personality(0x80000000UL | READ_IMPLIES_EXEC)); },
         EPERM},
    });
}

TEST(Seccomp, RefusesNewNamespacesAndMounts)
{
    check({
        {"unshare of users", [] { return outcome(::unshare(CLONE_NEWUSER)); }, EPERM},
        {"unshare of the network", [] { return outcome(::unshare(CLONE_NEWNET)); }, EPERM},
        {"unshare of mounts with others", [] { return outcome(::unshare(CLONE_NEWNS | CLONE_FILES)); }, EPERM},
        {"unshare of descriptors works", [] { return outcome(::unshare(CLONE_FILES)); }, 0},
        {"clone with a new user namespace",
         [] { return outcome(::syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, nullptr, nullptr, nullptr, 0)); }, EPERM},
        {"clone3, whose flags a filter cannot see", [] { return outcome(::syscall(SYS_clone3, nullptr, 0)); }, ENOSYS},
        {"setns", [] { return outcome(::setns(-1, 0)); }, EPERM},
        {"mount", [] { return outcome(::mount("", "/", "", 0, nullptr)); }, EPERM},
        {"umount2", [] { return outcome(::umount2("/nowhere", 0)); }, EPERM},
        {"chroot", [] { return outcome(::chroot("/nowhere")); }, EPERM},
        {"pivot_root", [] { return outcome(::syscall(SYS_pivot_root, "/", "/")); }, EPERM},
        {"open_tree", [] { return outcome(::open_tree(-1, "", 0)); }, EPERM},
        {"move_mount", [] { return outcome(::move_mount(-1, "", -1, "", 0)); }, EPERM},
        {"fsopen", [] { return outcome(::fsopen("tmpfs", 0)); }, EPERM},
        {"mount_setattr", [] { return outcome(::syscall(SYS_mount_setattr, -1, "", 0, nullptr, 0)); }, EPERM},
    });
}

/// Arguments that the kernel itself refuses with another error, should the rule be missing. Attaching is tried in a
/// whole sandbox, where process 1 may come to harm.
TEST(Seccomp, KeepsTheFirstProcessOutOfReach)
{
    static constexpr long bad = 77;
    static constexpr long hidden = (1L << 32) | 1;
    check({
        {"seizing it", [] { return outcome(::syscall(SYS_ptrace, PTRACE_SEIZE, 1, bad, 0)); }, EPERM},
        {"behind the upper half", [] { return outcome(::syscall(SYS_ptrace, PTRACE_SEIZE, hidden, bad, 0)); }, EPERM},
        {"another process is judged by the kernel",
         [] { return outcome(::syscall(SYS_ptrace, PTRACE_SEIZE, ::getppid(), bad, 0)); }, EIO},
        {"reading it", [] { return outcome(::syscall(SYS_process_vm_readv, 1, nullptr, 0, nullptr, 0, bad)); }, EPERM},
        {"writing it", [] { return outcome(::syscall(SYS_process_vm_writev, 1, nullptr, 0, nullptr, 0, bad)); }, EPERM},
        {"reading another", [] { return outcome(::syscall(SYS_process_vm_readv, 2, nullptr, 0, nullptr, 0, bad)); },
         EINVAL},
        {"comparing it", [] { return outcome(::syscall(SYS_kcmp, 1, ::getpid(), bad, 0, 0)); }, EPERM},
        {"comparing with it", [] { return outcome(::syscall(SYS_kcmp, ::getpid(), 1, bad, 0, 0)); }, EPERM},
        {"taking a descriptor of whomever", [] { return outcome(::syscall(SYS_pidfd_getfd, -1, 0, 0)); }, EPERM},
    });
}

class SeccompFiles : public ::testing::Test {
protected:
    std::string folder = [] {
        std::string name = "/tmp/aduana-seccomp-XXXXXX";
        return std::string(::mkdtemp(name.data()));
    }();
    std::string file = folder + "/file";
    void TearDown() override
    {
        ::unlink(file.c_str());
        ::rmdir(folder.c_str());
    }
};

TEST_F(SeccompFiles, RefusesEveryWayToASetIdBit)
{
    const int descriptor = ::open(file.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    const char* const path = file.c_str();
    const std::string fresh = folder + "/fresh";
    const char* const other = fresh.c_str();
    open_how how = {};
    check({
        {"an ordinary mode works", [=] { return outcome(::chmod(path, 0755)); }, 0},
        {"so does the sticky bit", [=] { return outcome(::chmod(path, 01755)); }, 0},
        {"chmod setuid", [=] { return outcome(::chmod(path, 04755)); }, EPERM},
        {"chmod setgid", [=] { return outcome(::chmod(path, 02755)); }, EPERM},
        {"fchmod", [=] { return outcome(::fchmod(descriptor, 04755)); }, EPERM},
        {"fchmodat", [=] { return outcome(::fchmodat(AT_FDCWD, path, 06755, 0)); }, EPERM},
        {"fchmodat2 is not there", [=] { return outcome(::syscall(452, AT_FDCWD, path, 04755, 0)); }, ENOSYS},
        {"open that makes", [=] { return outcome(::syscall(SYS_openat, AT_FDCWD, other, O_CREAT | O_WRONLY, 04755)); },
         EPERM},
        {"a nameless file", [=] { return outcome(::open("/tmp", O_TMPFILE | O_WRONLY, 04755)); }, EPERM},
        {"open that does not make ignores the mode",
         [=] { return outcome(::syscall(SYS_openat, AT_FDCWD, path, O_RDONLY, 04755)); }, 0},
        {"mknod", [=] { return outcome(::mknod(other, S_IFREG | 04755, 0)); }, EPERM},
        {"openat2 is not there", [&how] { return outcome(::syscall(SYS_openat2, AT_FDCWD, "/tmp", &how, sizeof how)); },
         ENOSYS},
#ifdef __x86_64__
        {"creat", [=] { return outcome(::syscall(SYS_creat, other, 04755)); }, EPERM},
        {"the old open", [=] { return outcome(::syscall(SYS_open, other, O_CREAT | O_WRONLY, 02755)); }, EPERM},
#endif
    });
    ::close(descriptor);
}

#ifdef __x86_64__
TEST(Seccomp, KillsCallsOfOtherArchitectures)
{
    static constexpr long x32_getpid = 0x40000000 + SYS_getpid;
    const int x32 = status_under_filter([] { return outcome(::syscall(x32_getpid)); });
    EXPECT_TRUE(WIFSIGNALED(x32) && WTERMSIG(x32) == SIGSYS);

    const auto call_i386 = [] {
        static constexpr int i386_getpid = 20;
        ::signal(SIGSEGV, SIG_DFL); // sanitizers catch it
        long result = i386_getpid;
        asm volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
        return outcome(result);
    };
    const int i386 = status_under_filter(call_i386);
    ASSERT_TRUE(WIFSIGNALED(i386)) << "a 32-bit call went through";
    const bool known_to_kernel = WIFEXITED(status_of(call_i386)); // some are built, or booted, without these calls
    EXPECT_EQ(WTERMSIG(i386), known_to_kernel ? SIGSYS : SIGSEGV);
}
#endif

} // namespace
