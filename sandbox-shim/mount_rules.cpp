// SPDX-License-Identifier: Apache-2.0
// The tables of what never appears in a sandbox.
#include "sandbox-shim/mount_rules.hpp"

#include "sandbox-shim/text.hpp"

#include <sys/stat.h>

#include <array>
#include <cstring>
#include <filesystem>

namespace aduana::shim {

namespace {

constexpr std::string_view leave_out = "leave it out";

struct Forbidden {
    std::string_view path;
    std::string_view reason;
    std::string_view remedy = leave_out;
};

constexpr std::string_view engine =
    "it belongs to a container engine or orchestrator: whoever reaches it owns the machine";
constexpr std::string_view cloud = "it holds the machine's cloud identity";
constexpr std::string_view sockets =
    "it holds the sockets of the machine's services, which reach round the sandbox's network";

/// These, everything in them, and everything that contains them.
constexpr std::array forbidden = {
    Forbidden{"/proc", "it shows and controls the machine's processes",
              "leave it out: the sandbox has a /proc of its own"},
    Forbidden{"/sys", "it controls the kernel and the devices"},
    Forbidden{"/run", sockets},
    Forbidden{"/var/run", sockets},
    Forbidden{"/boot", "it holds the machine's kernel"},
    Forbidden{"/etc", "it holds the machine's accounts and credentials",
              "the sandbox has an /etc of its own, with what programs need: copy a file that is missing there into the "
              "work folder"},
    Forbidden{"/var/lib/docker", engine},
    Forbidden{"/var/lib/containers", engine},
    Forbidden{"/var/lib/containerd", engine},
    Forbidden{"/var/lib/kubelet", engine},
    Forbidden{"/var/lib/rancher", engine},
    Forbidden{"/var/lib/etcd", engine},
    Forbidden{"/var/lib/lxc", engine},
    Forbidden{"/var/lib/lxd", engine},
    Forbidden{"/var/lib/incus", engine},
    Forbidden{"/var/snap", engine},
    Forbidden{"/var/lib/cloud", cloud},
    Forbidden{"/var/lib/waagent", cloud},
    Forbidden{"/var/lib/amazon", cloud},
    Forbidden{"/var/lib/google", cloud},
    Forbidden{"/var/lib/sss", "it holds cached passwords"},
    Forbidden{"/var/spool/cron", "what is written there runs outside the sandbox"},
};

constexpr std::string_view programs = "the machine's programs are there";
constexpr std::string_view services = "the machine's services keep their state there and act on it";

/// May be read, never written: a file made there belongs to the folder's owner, root mostly, and is run or obeyed
/// outside.
constexpr std::array unwritable = {
    Forbidden{"/usr", programs},      Forbidden{"/bin", programs},       Forbidden{"/sbin", programs},
    Forbidden{"/lib", programs},      Forbidden{"/lib32", programs},     Forbidden{"/lib64", programs},
    Forbidden{"/libx32", programs},   Forbidden{"/opt", programs},       Forbidden{"/var/lib", services},
    Forbidden{"/var/log", services},  Forbidden{"/var/cache", services}, Forbidden{"/var/backups", services},
    Forbidden{"/var/mail", services}, Forbidden{"/var/spool", services},
};

/// Shared by everybody, with the sockets of agents and displays in them; a folder below is fine.
constexpr std::array<std::string_view, 3> shared = {"/tmp", "/var/tmp", "/dev/shm"};

/// Below a home: credentials, and what runs when the user logs in. Separated by blanks; one line for each kind.
constexpr std::string_view private_names =
    ".ssh .gnupg .pki .netrc .password-store .vault-token .local/share/keyrings .config/op .config/sops "
    ".aws .azure .config/gcloud .boto .s3cfg .oci .fly .config/doctl .config/rclone .databrickscfg .snowflake "
    ".kube .helm .config/helm .minikube .docker .config/containers .local/share/containers .local/share/docker "
    ".terraform.d .terraformrc .pulumi "
    ".git-credentials .gitconfig .config/git .config/gh .config/hub .config/glab-cli "
    ".npmrc .yarnrc .yarnrc.yml .config/configstore .pypirc .pip .config/pip .cargo/credentials "
    ".cargo/credentials.toml "
    ".gem/credentials .m2/settings.xml .m2/settings-security.xml .gradle/gradle.properties .composer/auth.json "
    ".pgpass .my.cnf .psql_history .bash_history .zsh_history .python_history "
    ".mozilla .thunderbird .config/google-chrome .config/chromium "
    ".config/systemd .config/autostart .local/state/aduana";

constexpr std::array<std::string_view, 12> engine_sockets = {
    "docker.sock",     "containerd.sock", "podman.sock", "crio.sock",    "cri-dockerd.sock", "buildkitd.sock",
    "dockershim.sock", "kubelet.sock",    "lxd.socket",  "incus.socket", "libvirt-sock",     "docker-credential",
};

Error refused(std::string_view path, std::string_view reason, std::string remedy)
{
    return Error{"cannot mount " + std::string(path) + ": " + std::string(reason), std::move(remedy)};
}

bool is_home(std::string_view path, const MountSurroundings& surroundings)
{
    if (path.starts_with("/home/") && path.find('/', 6) == std::string_view::npos)
        return true;
    for (const std::string& home : surroundings.homes)
        if (path == home)
            return true;
    return false;
}

/// The home that `path` lies below, or empty. Folders of /home count as homes, whoever is in passwd.
std::string home_of(std::string_view path, const MountSurroundings& surroundings)
{
    for (std::size_t end = path.rfind('/'); end != std::string_view::npos && end > 0; end = path.rfind('/', end - 1))
        if (is_home(path.substr(0, end), surroundings))
            return std::string(path.substr(0, end));
    return "";
}

Result<Ok> check_system_folders(std::string_view path)
{
    for (const Forbidden& entry : forbidden) {
        if (within(path, entry.path))
            return refused(path, entry.reason, std::string(entry.remedy));
        if (within(entry.path, path))
            return refused(path, "it contains " + std::string(entry.path) + ", and " + std::string(entry.reason),
                           "mount the folder that is needed");
    }
    return Ok{};
}

Result<Ok> check_writable(std::string_view path, const std::string& remedy)
{
    for (const Forbidden& entry : unwritable)
        if (within(path, entry.path))
            return refused(path, std::string(entry.reason) + ": it must not be writable", remedy);
    return Ok{};
}

/// What holds for every mount, whatever its mode: system folders, homes, our own folders.
Result<Ok> check_place(std::string_view path, const MountSurroundings& surroundings)
{
    if (path == "/")
        return refused(path, "it is the whole machine", "mount the folder that is needed");
    if (within(path, "/dev") && !within(path, "/dev/shm"))
        return refused(path, "it holds the machine's devices", "leave it out: the sandbox has a /dev of its own");
    for (const std::string_view folder : shared)
        if (path == folder)
            return refused(path, "other programs keep their sockets and files there",
                           "make a folder in it and mount that");
    if (auto outside = check_system_folders(path); !outside)
        return outside;
    for (const std::string& folder : surroundings.own_folders)
        if (within(path, folder) || within(folder, path))
            return refused(path, "Aduana keeps its keys, records or sockets in " + folder, "mount a folder beside it");
    for (const std::string_view socket : engine_sockets)
        if (path.ends_with("/" + std::string(socket)))
            return refused(path, engine, "leave it out");
    return Ok{};
}

Result<Ok> check_homes(std::string_view path, const MountSurroundings& surroundings)
{
    if (is_home(path, surroundings))
        return refused(path, "it is a home folder, with credentials and with files that run at the next login",
                       "mount a subfolder of it");
    if (path == "/home")
        return refused(path, "it contains home folders", "mount a subfolder of one of them");
    for (const std::string& home : surroundings.homes)
        if (within(home, path))
            return refused(path, "it contains the home folder " + home, "mount the folder that is needed");

    const std::string home = home_of(path, surroundings);
    if (home.empty())
        return Ok{};
    const std::string_view below = path.substr(home.size() + 1);
    for (const std::string_view name : split(private_names, ' ')) {
        const std::string full = home + "/" + std::string(name);
        if (within(below, name))
            return refused(path, full + " holds credentials or private settings",
                           "give the task a credential by its policy instead");
        if (within(name, below))
            return refused(path, "it contains " + full + ", which holds credentials or private settings",
                           "mount the subfolder that is needed");
    }
    return Ok{};
}

Result<Ok> check_at(const std::string& at)
{
    static constexpr std::array<std::string_view, 13> taken = {"/usr",   "/bin",    "/sbin",   "/lib",  "/lib32",
                                                               "/lib64", "/libx32", "/etc",    "/proc", "/sys",
                                                               "/run",   "/boot",   "/var/run"};
    const auto error = [&](const std::string& why) {
        return Error{"cannot mount anything at " + at + ": " + why, "choose another place, for example /mnt/data"};
    };
    if (!at.starts_with('/') || std::filesystem::path(at).lexically_normal().string() != at ||
        (at.size() > 1 && at.ends_with('/')))
        return error("it is not an absolute path without \".\", \"..\" and doubled or final slashes");
    for (const std::string_view folder : taken)
        if (within(at, folder))
            return error("the sandbox's own " + std::string(folder) + " is there");
    if (at == "/" || at == "/tmp" || at == "/var" || at == "/var/tmp" || at == "/dev/shm" || at == "/home" ||
        at == sandbox_home)
        return error("the sandbox has its own");
    if (within(at, "/dev") && !within(at, "/dev/shm"))
        return error("the sandbox's own /dev is there");
    return Ok{};
}

/// Where one of our own folders is, which may not exist yet: as much of it as exists is followed.
Result<std::string> resolved_own(const std::string& path)
{
    std::error_code code;
    std::filesystem::path real = std::filesystem::weakly_canonical(std::filesystem::absolute(path, code), code);
    if (code)
        return Error{"cannot find out where " + path + " is: " + code.message(), "name a folder that can be reached"};
    if (!real.has_filename()) // "folder/" would not be compared with what lies in it
        real = real.parent_path();
    return Result<std::string>(boost::system::in_place_value, real.string());
}

/// The path once symbolic links are followed; it must be a folder or a regular file.
Result<std::string> resolved(const std::string& what, const std::string& path)
{
    std::error_code code;
    const std::filesystem::path real = std::filesystem::canonical(path, code);
    if (code)
        return Error{what + " " + path + ": " + code.message(), "name a folder or file that exists"};
    struct stat status = {};
    if (::stat(real.c_str(), &status) != 0)
        return Error{what + " " + path + ": " + std::strerror(errno), "name a folder or file that exists"};
    if (!S_ISDIR(status.st_mode) && !S_ISREG(status.st_mode))
        return Error{what + " " + path +
                         " is neither a folder nor a regular file: sockets and devices reach round the sandbox",
                     "leave it out"};
    return Result<std::string>(boost::system::in_place_value, real.string());
}

} // namespace

Result<Ok> check_mount(const BindMount& mount, const MountSurroundings& surroundings)
{
    if (auto place = check_place(mount.path, surroundings); !place)
        return place;
    if (auto homes = check_homes(mount.path, surroundings); !homes)
        return homes;
    if (mount.mode == MountMode::read_write) {
        if (auto writable = check_writable(mount.path, "mount it read-only"); !writable)
            return writable;
        if (!home_of(mount.path, surroundings).empty())
            return refused(mount.path,
                           "a folder of a home may only be mounted read-only: what is changed there may run outside",
                           "mount it read-only, or use it as the work folder (--workdir)");
    }
    return check_at(mount.at);
}

Result<Ok> check_work_folder(const std::string& path, const MountSurroundings& surroundings)
{
    if (auto place = check_place(path, surroundings); !place)
        return place;
    if (auto homes = check_homes(path, surroundings); !homes)
        return homes;
    if (auto writable = check_writable(path, "choose another work folder (--workdir)"); !writable)
        return writable;
    return check_at(path);
}

bool could_be_writable(const std::string& folder, const std::vector<std::string>& homes)
{
    const MountSurroundings surroundings{homes, {}};
    return check_place(folder, surroundings) && check_homes(folder, surroundings) && check_writable(folder, "");
}

Result<SandboxSpec> resolve_paths(SandboxSpec spec)
{
    auto work = resolved("work folder", spec.work_folder);
    if (!work)
        return work.error();
    if (!std::filesystem::is_directory(*work))
        return Error{"work folder " + spec.work_folder + " is not a folder", "name a folder (--workdir)"};
    spec.work_folder = *work;
    for (BindMount& mount : spec.mounts) {
        auto path = resolved("mount", mount.path);
        if (!path)
            return path.error();
        mount.path = *path;
    }
    auto stub = resolved("program", spec.stub);
    if (!stub)
        return stub.error();
    spec.stub = *stub;
    auto state = resolved("state folder", spec.state_folder);
    if (!state)
        return state.error();
    spec.state_folder = *state;
    for (std::string& folder : spec.own_folders) {
        auto own = resolved_own(folder);
        if (!own)
            return own.error();
        folder = *own;
    }
    return spec;
}

} // namespace aduana::shim
