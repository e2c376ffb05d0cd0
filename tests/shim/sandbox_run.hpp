// SPDX-License-Identifier: Apache-2.0
// A whole sandbox for a test: gateway, cgroup, launch, output, clean-up.
#pragma once

#include "sandbox-shim/apply/cgroups.hpp"
#include "sandbox-shim/apply/gateway.hpp"
#include "sandbox-shim/apply/launch.hpp"
#include "sandbox-shim/mount_rules.hpp"
#include "sandbox-shim/plan.hpp"
#include "sandbox-shim/undo.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace aduana::shim::testing {

inline constexpr const char* needs_root = "NOT RUN: needs root";
inline bool is_root()
{
    return ::geteuid() == 0;
}

inline std::string contents(const std::string& path)
{
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

/// A folder of its own that goes with the object.
class TemporaryFolder {
public:
    TemporaryFolder()
    {
        std::string name = "/tmp/aduana-shim-test-XXXXXX";
        path_ = ::mkdtemp(name.data());
        ::chmod(path_.c_str(), 0755);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    ~TemporaryFolder() { std::filesystem::remove_all(path_); }
    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] std::string make(const std::string& name) const
    {
        std::filesystem::create_directories(path_ + "/" + name);
        return path_ + "/" + name;
    }

private:
    std::string path_;
};

/// Standard output and error of this process go to a memory file while it lives.
class CapturedOutput {
public:
    CapturedOutput() : file_(::memfd_create("output", MFD_CLOEXEC)), out_(::dup(1)), error_(::dup(2))
    {
        ::fflush(nullptr);
        ::dup2(file_.get(), 1);
        ::dup2(file_.get(), 2);
    }
    CapturedOutput(const CapturedOutput&) = delete;
    ~CapturedOutput() { restore(); }
    std::string take()
    {
        restore();
        return contents("/proc/self/fd/" + std::to_string(file_.get()));
    }

private:
    void restore()
    {
        if (!out_)
            return;
        ::fflush(nullptr);
        ::dup2(out_.get(), 1);
        ::dup2(error_.get(), 2);
        out_.reset();
        error_.reset();
    }
    UniqueFd file_;
    UniqueFd out_;
    UniqueFd error_;
};

struct Outcome {
    std::optional<Error> error; ///< nothing ran
    int status = -1;
    int exec_error = 0;
    std::string output{};
    CgroupUsage usage{};
    DiskUsage disk{};
};

struct SandboxRun {
    TemporaryFolder folder;
    SandboxSpec spec;
    HostFacts facts = probe();
    std::map<std::string, std::string> environment = base_environment();
    std::vector<certs::TrustFile> trust = {{"ca-certificates.crt", "roots\n"}, {"java/cacerts", "store"}};
    std::vector<HomeFile> home;

    SandboxRun()
    {
        static int serial = 0;
        spec.task = "shim-test";
        spec.instance = std::to_string(::getpid()) + "-" + std::to_string(++serial);
        spec.work_folder = folder.make("work");
        spec.state_folder = folder.make("state");
        spec.own_folders = {spec.state_folder};
        spec.stub = std::string(ADUANA_BINARY_DIR) + "/bin/aduana-stub";
        spec.limits.disk = std::uint64_t{32} << 20;
    }

    [[nodiscard]] Outcome shell(const std::string& script)
    {
        spec.command = {"/bin/sh", "-c", script};
        return run();
    }

    /// `while_running` gets the sandbox once its command has been started.
    [[nodiscard]] Outcome run(const std::function<void(const Running&)>& while_running = {})
    {
        Outcome outcome;
        auto resolved = resolve_paths(spec);
        if (!resolved)
            return {resolved.error()};
        auto made = plan(*resolved, facts);
        if (!made)
            return {made.error()};
        auto gateway = make_gateway(made->gateway);
        if (!gateway)
            return {gateway.error()};
        std::optional<Cgroup> cgroup;
        if (made->cgroup) {
            auto group = make_cgroup(*made->cgroup);
            if (!group)
                return {group.error()};
            cgroup = std::move(*group);
        }
        CapturedOutput output;
        const LaunchInputs inputs{gateway->sandbox_network.get(), cgroup ? &*cgroup : nullptr, environment, trust,
                                  home};
        auto running = launch(*made, inputs);
        if (running) {
            if (while_running)
                while_running(*running);
            int status = 0;
            ::waitpid(running->process, &status, 0);
            outcome.status = exit_status(status);
            outcome.exec_error = running->exec_error;
            outcome.disk = *disk_usage(running->disk.get());
        } else {
            outcome.error = running.error();
        }
        outcome.output = output.take();
        if (cgroup)
            outcome.usage = cgroup->usage();
        for (const Undo& step : undo_of(*made))
            EXPECT_TRUE(carry_out(step, 2000));
        return outcome;
    }
};

} // namespace aduana::shim::testing
