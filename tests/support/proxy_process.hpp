// SPDX-License-Identifier: Apache-2.0
// The built aduana-proxy as a child process with one task, over a control socket as `aduana` would open it.
#pragma once

#include "audit/journal.hpp"
#include "audit/verify.hpp"
#include "channel/datagram.hpp"
#include "proxy/control/client.hpp"
#include "tests/support/loopback.hpp"

#include <sys/mman.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace aduana::test {

/// A file in memory with this text.
inline UniqueFd memory_file(std::string_view text)
{
    UniqueFd file(::memfd_create("test", MFD_CLOEXEC));
    if (::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
        throw std::runtime_error("memfd");
    return file;
}

/// Lines of the journal that have this event.
inline std::vector<std::string> lines_of(const std::string& journal, const std::string& event)
{
    std::ifstream file(journal);
    std::vector<std::string> found;
    for (std::string line; std::getline(file, line);) {
        if (line.find("\"event\":\"" + event + "\"") != std::string::npos)
            found.push_back(line);
    }
    return found;
}

/// Opens the task "t1" at a proxy, with a new journal in `folder`, whose path it tells.
inline Result<proxy::control::TaskOpened>
open_task(proxy::control::Client& client, const std::string& folder, std::string& journal_path, std::string_view policy,
          std::string_view extra_ca, const std::vector<proxy::control::ListenerKind>& kinds,
          const std::vector<int>& listeners, const std::string& broker_handle = {}, UniqueFd broker = {})
{
    const auto installation = certs::SigningKey::generate();
    const auto key = certs::SigningKey::generate();
    auto journal = audit::create_journal(folder, "t1", 1, installation, key, {}).value();
    journal_path = journal.path;
    const auto policy_file = memory_file(policy);
    const auto ca_file = memory_file(extra_ca);
    proxy::control::TaskOpen request;
    request.task = "t1";
    request.policy_file = "policy.yaml";
    request.broker_handle = broker_handle;
    request.listeners = kinds;
    request.journal_key_seed = key.seed().reveal();
    request.journal_seq = journal.state.seq;
    request.journal_hash = journal.state.hash;
    request.with_broker = static_cast<bool>(broker);
    request.hosts = {{"api.test", {"127.0.0.1"}}};
    request.nameservers = {"127.0.0.1"};
    std::vector<int> descriptors{policy_file.get(), journal.file.get(), journal.head.get(), ca_file.get()};
    if (broker)
        descriptors.push_back(broker.get());
    descriptors.insert(descriptors.end(), listeners.begin(), listeners.end());
    return client.open(request, descriptors);
}

/// In a child: the program with `socket` as its descriptor 3.
[[noreturn]] inline void become_proxy(int socket, std::vector<const char*> arguments)
{
    ::dup2(socket, 3);
    // It refuses to run as root.
    constexpr unsigned proxy_uid = 61901;
    if (::getuid() == 0 && (::setgid(proxy_uid) != 0 || ::setuid(proxy_uid) != 0))
        ::_exit(120);
    arguments.push_back(nullptr);
    ::execv(ADUANA_BINARY_DIR "/bin/aduana-proxy", const_cast<char* const*>(arguments.data())); // execv only reads it
    ::_exit(121);
}

class ProxyProcess {
public:
    ProxyProcess()
    {
        auto pair = datagram_pair().value();
        child_ = ::fork();
        if (child_ == 0)
            become_proxy(pair.second.get(), {"aduana-proxy", "--control-fd", "3"});
        client_.emplace(std::move(pair.first));
    }
    ~ProxyProcess()
    {
        client_.reset();
        wait();
        std::filesystem::remove_all(folder_);
    }
    ProxyProcess(const ProxyProcess&) = delete;
    ProxyProcess& operator=(const ProxyProcess&) = delete;

    /// Opens the task "t1" with this policy. `broker` may be empty.
    Result<proxy::control::TaskOpened> open(std::string_view policy, std::string_view extra_ca,
                                            const std::vector<proxy::control::ListenerKind>& kinds,
                                            const std::vector<int>& listeners, const std::string& broker_handle = {},
                                            UniqueFd broker = {})
    {
        return open_task(*client_, folder_, journal_path_, policy, extra_ca, kinds, listeners, broker_handle,
                         std::move(broker));
    }
    Result<proxy::control::TaskClosed> close()
    {
        return client_->close({.task = "t1", .exit_status = 0, .cause = "exited", .limits_hit = {}});
    }
    proxy::control::Client& client() { return *client_; }

    std::vector<std::string> lines(const std::string& event) const { return lines_of(journal_path_, event); }
    /// Closes the control socket and returns the exit status of the process.
    int hang_up()
    {
        client_.reset();
        return wait();
    }

private:
    int wait()
    {
        if (child_ <= 0)
            return -1;
        int status = 0;
        ::waitpid(std::exchange(child_, -1), &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }

    static std::string make_folder()
    {
        std::string name = std::filesystem::temp_directory_path() / "aduana-proxy-XXXXXX";
        return ::mkdtemp(name.data()) == nullptr ? throw std::runtime_error("mkdtemp") : name;
    }

    std::string folder_ = make_folder();
    std::string journal_path_;
    std::optional<proxy::control::Client> client_;
    pid_t child_ = -1;
};

} // namespace aduana::test
