// SPDX-License-Identifier: Apache-2.0
// Asks the machine. Nothing is made or changed.
#include "policy/base/fd.hpp"
#include "sandbox-shim/facts.hpp"
#include "sandbox-shim/homes.hpp"
#include "sandbox-shim/text.hpp"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/netlink.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

namespace aduana::shim {

namespace {

std::string contents(const std::string& path)
{
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

bool exists(const std::string& path)
{
    return ::access(path.c_str(), F_OK) == 0;
}

std::string find_program(std::string_view name)
{
    for (const char* folder : {"/usr/bin/", "/usr/sbin/", "/bin/", "/sbin/", "/usr/local/bin/"}) {
        std::string path = folder + std::string(name);
        if (::access(path.c_str(), X_OK) == 0)
            return path;
    }
    return "";
}

Fact privileges()
{
    struct Needed {
        int bit;
        const char* name;
    };
    static constexpr std::array needed = {
        Needed{CAP_CHOWN, "CHOWN"},         Needed{CAP_DAC_OVERRIDE, "DAC_OVERRIDE"},
        Needed{CAP_FOWNER, "FOWNER"},       Needed{CAP_KILL, "KILL"},
        Needed{CAP_SETGID, "SETGID"},       Needed{CAP_SETUID, "SETUID"},
        Needed{CAP_NET_ADMIN, "NET_ADMIN"}, Needed{CAP_NET_BIND_SERVICE, "NET_BIND_SERVICE"},
        Needed{CAP_SYS_ADMIN, "SYS_ADMIN"},
    };
    Fact fact{"root", false, true, "", "run aduana as root"};
    const std::string status = contents("/proc/self/status");
    const std::size_t at = status.find("CapEff:\t");
    const unsigned long long held = at == std::string::npos ? 0 : std::strtoull(status.c_str() + at + 8, nullptr, 16);
    std::string missing;
    for (const Needed& one : needed)
        if ((held >> one.bit & 1) == 0)
            missing += std::string(missing.empty() ? "" : ", ") + "CAP_" + one.name;
    fact.found = ::geteuid() == 0 && missing.empty();
    fact.detail = "uid " + std::to_string(::geteuid()) + (missing.empty() ? "" : " without " + missing);
    return fact;
}

Fact kernel()
{
    struct utsname name = {};
    ::uname(&name);
    int major = 0;
    int minor = 0;
    const std::string_view release = name.release;
    const auto first = std::from_chars(release.data(), release.data() + release.size(), major);
    if (first.ec == std::errc() && first.ptr < release.data() + release.size())
        std::from_chars(first.ptr + 1, release.data() + release.size(), minor);
    Fact fact{"kernel", false, true, name.release, "use Linux 5.12 or newer: id-mapped mounts are needed"};
    fact.found = major > 5 || (major == 5 && minor >= 12);
    return fact;
}

Fact bubblewrap(std::string& path)
{
    Fact fact{"bubblewrap", false, true, "not found", "install bubblewrap 0.8.0 or newer (apt-get install bubblewrap)"};
    path = find_program("bwrap");
    if (path.empty())
        return fact;
    const std::string command = path + " --version 2>/dev/null";
    const std::unique_ptr<FILE, int (*)(FILE*)> output(::popen(command.c_str(), "re"), ::pclose);
    std::array<char, 64> line = {};
    int major = 0;
    int minor = 0;
    if (output && std::fgets(line.data(), line.size(), output.get()) != nullptr &&
        std::sscanf(line.data(), "bubblewrap %d.%d", &major, &minor) == 2) {
        fact.found = major > 0 || minor >= 8;
        fact.detail = std::to_string(major) + "." + std::to_string(minor) + " (" + path + ")";
    } else {
        fact.detail = path + " does not tell its version";
    }
    return fact;
}

Fact mkfs(std::string& path)
{
    path = find_program("mkfs.ext4");
    return {"mkfs.ext4", !path.empty(), true, path.empty() ? "not found" : path,
            "install e2fsprogs (apt-get install e2fsprogs)"};
}

Fact certutil(std::string& path)
{
    path = find_program("certutil");
    return {"certutil", !path.empty(), false,
            path.empty() ? "not found: Chromium will trust no intercepted host" : path, ""};
}

Fact loop_devices()
{
    const UniqueFd control(::open("/dev/loop-control", O_RDWR | O_CLOEXEC));
    return {"loop devices", static_cast<bool>(control), true,
            control ? "/dev/loop-control" : "/dev/loop-control: " + std::string(std::strerror(errno)),
            "load the module (modprobe loop), or give the container /dev/loop-control and its devices"};
}

Fact user_namespaces()
{
    const std::string limit = contents("/proc/sys/user/max_user_namespaces");
    Fact fact{"user namespaces", false, true, "", "set sysctl user.max_user_namespaces to 1000 or more"};
    fact.found = std::strtoll(limit.c_str(), nullptr, 10) > 0;
    fact.detail = fact.found ? "allowed" : "not allowed";
    if (contents("/proc/sys/kernel/apparmor_restrict_unprivileged_userns").starts_with("1")) {
        fact.found = exists("/etc/apparmor.d/bwrap-userns-restrict") || exists("/etc/apparmor.d/bwrap");
        fact.detail = "restricted by AppArmor";
        fact.remedy = "install an AppArmor profile that allows userns for bwrap";
    }
    return fact;
}

Fact nftables()
{
    const UniqueFd socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER));
    return {"nftables", static_cast<bool>(socket), true, socket ? "nf_tables" : std::strerror(errno),
            "use a kernel with nf_tables and nft_redir (modprobe nf_tables nft_redir)"};
}

Fact network_namespaces()
{
    const bool found = exists("/proc/self/ns/net");
    return {"network namespaces", found, true, found ? "/proc/self/ns/net" : "not in this kernel",
            "use a kernel with CONFIG_NET_NS"};
}

Fact ipv6(bool& found)
{
    found = exists("/proc/net/if_inet6") && !contents("/proc/sys/net/ipv6/conf/all/disable_ipv6").starts_with("1");
    return {"IPv6", found, false, found ? "on" : "off: sandboxes get IPv4 only", ""};
}

Fact cgroups(CgroupFacts& cgroup)
{
    const std::string mountinfo = contents("/proc/self/mountinfo");
    std::string v2_mount = "/sys/fs/cgroup";
    if (!exists(v2_mount + "/cgroup.controllers"))
        v2_mount += "/unified";
    cgroup = cgroup_facts(mountinfo, contents(v2_mount + "/cgroup.controllers"),
                          contents(v2_mount + "/cgroup.subtree_control"), !exists(v2_mount + "/cgroup.type"));
    Fact fact{"cgroups", cgroup.version != CgroupVersion::none, false, std::string(name_of(cgroup.version)),
              "mount cgroup2 at /sys/fs/cgroup; without it memory, cpus and processes cannot be limited"};
    for (const auto& [controller, root] : cgroup.v1_roots)
        fact.detail += " " + controller;
    if (!cgroup.v2_root.empty())
        fact.detail += " at " + cgroup.v2_root;
    return fact;
}

std::vector<std::string> names_in(const std::string& folder)
{
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error))
        names.push_back(entry.path().filename());
    return names;
}

/// Configuration that programs look for and that holds no secret. Not here on purpose: gitconfig, npmrc, pip.conf,
/// profile.d, environment, Maven's settings, PHP's server pools (may name tokens) and everything of accounts, mail and
/// the network.
std::vector<std::string> etc_entries()
{
    static constexpr std::string_view names =
        "alternatives bash.bashrc containers/policy.json containers/registries.conf containers/registries.conf.d "
        "debian_version fonts gai.conf host.conf inputrc ld.so.cache ld.so.conf ld.so.conf.d locale.alias localtime "
        "lynx magic magic.mime mailcap maven/logging maven/m2.conf mime.types networks os-release perl profile "
        "protocols rpc services shells ssl/openssl.cnf terminfo timezone xattr.conf";
    std::vector<std::string> found;
    for (const std::string_view name : split(names, ' '))
        if (exists("/etc/" + std::string(name)))
            found.emplace_back(name);
    for (const std::string& name : names_in("/etc"))
        if (name.starts_with("java-") || name.starts_with("python"))
            found.push_back(name);
    for (const std::string& version : names_in("/etc/php"))
        for (const char* part : {"cli", "mods-available"})
            if (const std::string name = "php/" + version + "/" + part; exists("/etc/" + name))
                found.push_back(name);
    std::sort(found.begin(), found.end());
    return found;
}

std::vector<SystemFolder> system_folders()
{
    std::vector<SystemFolder> folders;
    for (const char* path : system_folder_names) {
        std::error_code error;
        if (const auto link = std::filesystem::read_symlink(path, error); !error)
            folders.push_back({path, link});
        else if (exists(path))
            folders.push_back({path, ""});
    }
    return folders;
}

} // namespace

HostFacts probe()
{
    HostFacts host;
    host.facts.push_back(privileges());
    host.facts.push_back(kernel());
    host.facts.push_back(bubblewrap(host.bwrap));
    host.facts.push_back(mkfs(host.mkfs_ext4));
    host.facts.push_back(certutil(host.certutil));
    host.facts.push_back(loop_devices());
    host.facts.push_back(user_namespaces());
    host.facts.push_back(network_namespaces());
    host.facts.push_back(nftables());
    host.facts.push_back(ipv6(host.ipv6));
    host.facts.push_back(cgroups(host.cgroup));
    host.system_folders = system_folders();
    host.etc = etc_entries();
    host.homes = homes();
    return host;
}

} // namespace aduana::shim
