// SPDX-License-Identifier: Apache-2.0
// Each step in one line, for --dry-run.
#include "sandbox-shim/op.hpp"

#include "sandbox-shim/text.hpp"

namespace aduana::shim {

namespace {

std::string text(const MakeStage&)
{
    return "make a private mount namespace with an empty tmpfs over /run as the stage";
}

std::string text(const MakeDisk& op)
{
    return "make an unnamed ext4 image of " + size_text(op.bytes) + " in " + shell_quoted(op.folder) +
           " on a loop device";
}

std::string text(const MountDisk& op)
{
    return "mount the image for /tmp, /var/tmp, /dev/shm and the home of uid " + std::to_string(op.home_owner);
}

std::string text(const StageEtc& op)
{
    std::string line = "take from /etc:";
    for (const std::string& name : op.names)
        line += " " + name;
    return line;
}

std::string text(const WriteFile& op)
{
    return "write /etc/" + op.name;
}

std::string text(const WriteTrust&)
{
    return "write /etc/ssl/certs: the system's roots and the task's CA";
}

std::string text(const MakeNssDatabase& op)
{
    return "let " + shell_quoted(op.certutil) + " put the task's CA into the home's .pki/nssdb, for Chromium";
}

std::string text(const WriteHome& op)
{
    return "write the files of placeholders into the home, for uid " + std::to_string(op.owner);
}

std::string text(const StageBind& op)
{
    const std::string way = op.mode == MountMode::read_write ? "read-write" : "read-only";
    const std::string place = op.inside.empty() ? "" : " in " + op.inside + ", at " + shell_quoted(op.below);
    return "stage " + shell_quoted(op.path) + " " + way + " as " + op.name + place + ", its owner seen as uid " +
           std::to_string(op.owner);
}

std::string text(const JoinCgroup&)
{
    return "join the cgroup";
}

std::string text(const JoinNetwork&)
{
    return "join the network of the sandbox";
}

std::string text(const LimitResource& op)
{
    return "set RLIMIT_" + op.name + " to " + std::to_string(op.value);
}

std::string text(const CloseDescriptors&)
{
    return "close every descriptor but the standard streams, status, environment and seccomp program";
}

std::string text(const BecomeUser& op)
{
    return "become uid and gid " + std::to_string(op.id) + ", no groups, no_new_privs";
}

std::string text(const Execute& op)
{
    return "execute " + shell_line(op.argv);
}

} // namespace

std::string describe(const MakeGateway& op)
{
    return std::string("make the gateway: two network namespaces, a veth between them, listeners for proxy, TCP on any "
                       "address and DNS, ") +
           (op.ipv6 ? "IPv4 and IPv6" : "IPv4 only");
}

std::string describe(const MakeCgroup& op)
{
    std::string line = "make " + std::string(name_of(op.version)) + " folders";
    for (const auto& [controller, folder] : op.folders)
        line += " " + folder;
    line += ": memory " + (op.memory ? size_text(*op.memory) : "unlimited");
    line += ", cpus " + (op.cpus_milli ? milli_text(*op.cpus_milli) : "unlimited");
    line += ", processes " + (op.processes ? std::to_string(*op.processes) : "unlimited");
    return line;
}

std::string describe(const StageOp& op)
{
    return std::visit([](const auto& step) { return text(step); }, op);
}

} // namespace aduana::shim
