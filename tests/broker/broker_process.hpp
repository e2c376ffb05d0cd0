// SPDX-License-Identifier: Apache-2.0
// The real aduana-broker as a child process without root, with the test at both of its sockets.
#pragma once

#include "broker/client/control.hpp"
#include "broker/protocol/codec.hpp"
#include "channel/patient.hpp"

#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <memory>

namespace aduana::broker {

inline constexpr uid_t broker_uid = 61902;

inline std::string read_file(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

inline UniqueFd memory_file(std::string_view text)
{
    UniqueFd file(::memfd_create("test", MFD_CLOEXEC));
    EXPECT_EQ(::write(file.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
    return file;
}

enum class RunAs : std::uint8_t { caller, broker };

/// Ended by the destructor if it still runs.
class BrokerProcess {
public:
    /// Starts the program with these arguments; `keep` stay open in it, stdout and stderr are collected.
    BrokerProcess(std::vector<std::string> arguments, const std::vector<int>& keep, RunAs user = RunAs::broker)
    {
        // Opened before the rights are given up: the folder of the build may be closed to that user.
        const UniqueFd program(::open(ADUANA_BINARY_DIR "/bin/aduana-broker", O_PATH | O_CLOEXEC));
        arguments.insert(arguments.begin(), "aduana-broker");
        std::vector<char*> pointers;
        for (auto& argument : arguments)
            pointers.push_back(argument.data());
        pointers.push_back(nullptr);
        pid_ = ::fork();
        if (pid_ == 0)
            become_broker(program.get(), pointers, keep, user);
    }
    BrokerProcess(const BrokerProcess&) = delete;
    ~BrokerProcess()
    {
        if (pid_ > 0)
            (void)kill_and_wait(SIGKILL);
    }

    [[nodiscard]] pid_t pid() const { return pid_; }
    [[nodiscard]] std::string output() const { return read_file("/proc/self/fd/" + std::to_string(output_.get())); }
    [[nodiscard]] std::string proc(const std::string& file) const
    {
        return read_file("/proc/" + std::to_string(pid_) + "/" + file);
    }
    void signal(int number) const { EXPECT_EQ(::kill(pid_, number), 0); }
    /// As of a shell: 128 + N for a signal.
    [[nodiscard]] int wait()
    {
        int status = 0;
        EXPECT_EQ(::waitpid(pid_, &status, 0), pid_);
        pid_ = 0;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    [[nodiscard]] int kill_and_wait(int number)
    {
        signal(number);
        return wait();
    }

private:
    [[noreturn]] void become_broker(int program, const std::vector<char*>& arguments, const std::vector<int>& keep,
                                    RunAs user) const
    {
        ::dup2(output_.get(), STDOUT_FILENO);
        ::dup2(output_.get(), STDERR_FILENO);
        for (const int fd : keep)
            ::fcntl(fd, F_SETFD, 0);
        char* environment[] = {nullptr};
        const bool ready = user == RunAs::caller || ::getuid() != 0 ||
                           (::setgroups(0, nullptr) == 0 && ::setresgid(broker_uid, broker_uid, broker_uid) == 0 &&
                            ::setresuid(broker_uid, broker_uid, broker_uid) == 0);
        if (ready)
            ::fexecve(program, arguments.data(), environment);
        ::_exit(127);
    }

    UniqueFd output_ = memory_file("");
    pid_t pid_ = -1;
};

/// A broker that serves, with a client on its control socket and the proxy's end of the other one.
class ServingBroker {
public:
    ServingBroker()
    {
        auto control = datagram_pair();
        auto proxy = datagram_pair();
        EXPECT_TRUE(control && proxy);
        process = std::make_unique<BrokerProcess>(
            std::vector<std::string>{"--control-fd", std::to_string(control->second.get()), "--proxy-fd",
                                     std::to_string(proxy->second.get())},
            std::vector{control->second.get(), proxy->second.get(), extra.get()});
        client = std::make_unique<ControlClient>(std::move(control->first));
        proxy_end = std::move(proxy->first);
    }

    [[nodiscard]] Result<Decoded> next_reply() const
    {
        auto datagram =
            receive_by(std::chrono::steady_clock::now() + std::chrono::seconds(10), proxy_end.get(), "aduana-broker");
        if (!datagram)
            return datagram.error();
        return decode(datagram->bytes);
    }
    void send(const Message& message) const
    {
        EXPECT_TRUE(send_datagram(proxy_end.get(), encode(message, 1).frame(), {}));
    }
    /// Sends an Acquire and fails the test if the reply is no Lease.
    [[nodiscard]] Lease lease(const Acquire& request) const
    {
        send(request);
        auto reply = next_reply();
        if (!reply || !std::holds_alternative<Lease>(reply->message)) {
            ADD_FAILURE() << "no lease";
            return {};
        }
        return std::move(std::get<Lease>(reply->message));
    }

    UniqueFd extra{::open("/dev/null", O_RDONLY | O_CLOEXEC)}; ///< inherited by mistake
    std::unique_ptr<BrokerProcess> process;
    std::unique_ptr<ControlClient> client;
    UniqueFd proxy_end;
};

} // namespace aduana::broker
