// SPDX-License-Identifier: Apache-2.0
// Image, mkfs.ext4, loop device.
#include "sandbox-shim/apply/disk_image.hpp"

#include "sandbox-shim/apply/failure.hpp"
#include "sandbox-shim/text.hpp"

#include <fcntl.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

namespace aduana::shim {

namespace {

Result<UniqueFd> nameless_file(const MakeDisk& op)
{
    UniqueFd file(::open(op.folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (!file) {
        std::string name = op.folder + "/disk-XXXXXX";
        file.reset(::mkostemp(name.data(), O_CLOEXEC));
        if (file)
            ::unlink(name.c_str());
    }
    if (!file)
        return system_failure("make the disk image in " + op.folder, "make that folder writable (ADUANA_STATE_DIR)");
    if (::ftruncate(file.get(), static_cast<off_t>(op.bytes)) != 0)
        return system_failure("make a disk image of " + size_text(op.bytes) + " in " + op.folder,
                              "lower the limit \"disk\" or use another file system (ADUANA_STATE_DIR)");
    return file;
}

/// In the forked child: never returns.
[[noreturn]] void execute_mkfs(const std::string& mkfs, int image, int messages)
{
    static constexpr int image_descriptor = 3;
    const std::string path = "/proc/self/fd/" + std::to_string(image_descriptor);
    // No journal and no zeroing: the image is empty, and it never outlives a crash.
    const std::array<const char*, 12> argv = {mkfs.c_str(),
                                              "-q",
                                              "-F",
                                              "-m",
                                              "0",
                                              "-O",
                                              "^has_journal,^resize_inode",
                                              "-E",
                                              "lazy_itable_init=1,nodiscard",
                                              path.c_str(),
                                              nullptr,
                                              nullptr};
    const std::array<const char*, 2> environment = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", nullptr};
    ::dup2(messages, STDOUT_FILENO);
    ::dup2(messages, STDERR_FILENO);
    if (image == image_descriptor)
        ::fcntl(image, F_SETFD, 0);
    else
        ::dup2(image, image_descriptor);
    ::execve(mkfs.c_str(), const_cast<char* const*>(argv.data()), const_cast<char* const*>(environment.data()));
    ::_exit(127);
}

std::string first_line_of(int file)
{
    std::array<char, 200> text = {};
    const ssize_t size = ::pread(file, text.data(), text.size(), 0);
    const std::string line(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
    return line.substr(0, line.find('\n'));
}

Result<Ok> format(const MakeDisk& op, int image)
{
    const UniqueFd messages(::memfd_create("aduana-mkfs", MFD_CLOEXEC));
    const pid_t child = messages ? ::fork() : -1;
    if (child < 0)
        return system_failure("start " + op.mkfs);
    if (child == 0)
        execute_mkfs(op.mkfs, image, messages.get());
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return Error{"cannot format the disk image: " + op.mkfs + ": " + first_line_of(messages.get()),
                     "check the space left in " + op.folder + ", and e2fsprogs"};
    return Ok{};
}

/// Another process may take the free device between the question and the answer: then the next one is asked for.
Result<LoopDevice> attach(int image)
{
    static constexpr int attempts = 64;
    static constexpr const char* remedy = "load the module (modprobe loop), or give the container loop devices";
    const UniqueFd control(::open("/dev/loop-control", O_RDWR | O_CLOEXEC));
    if (!control)
        return system_failure("open /dev/loop-control", remedy);
    loop_config config = {};
    config.fd = static_cast<std::uint32_t>(image);
    config.info.lo_flags = LO_FLAGS_AUTOCLEAR;
    for (int attempt = 0; attempt < attempts; ++attempt) {
        const int number = ::ioctl(control.get(), LOOP_CTL_GET_FREE);
        if (number < 0)
            return system_failure("find a free loop device", remedy);
        std::string path = "/dev/loop" + std::to_string(number);
        UniqueFd device(::open(path.c_str(), O_RDWR | O_CLOEXEC));
        if (!device)
            return system_failure("open " + path, remedy);
        if (::ioctl(device.get(), LOOP_CONFIGURE, &config) == 0)
            return LoopDevice{std::move(device), std::move(path)};
        if (errno != EBUSY)
            return system_failure("attach the disk image to " + path, remedy);
    }
    errno = EBUSY;
    return system_failure("attach the disk image", remedy);
}

} // namespace

Result<LoopDevice> make_disk(const MakeDisk& op)
{
    auto image = nameless_file(op);
    if (!image)
        return image.error();
    if (auto formatted = format(op, image->get()); !formatted)
        return formatted.error();
    return attach(image->get());
}

} // namespace aduana::shim
