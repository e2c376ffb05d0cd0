// SPDX-License-Identifier: Apache-2.0
// The command line: subcommands, their options and their help.
#include "cli/options.hpp"
#include "cli/say.hpp"
#include "policy/discreet.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <span>
#include <string_view>

namespace aduana::cli {

namespace {

constexpr const char* about =
    "Aduana runs a command in a sandbox whose only way out is a proxy that allows what a policy\n"
    "lists, adds credentials that the command never sees, and records every request.";

constexpr const char* run_example =
    "Example:\n"
    "  aduana run --policy policy.yaml --credentials credentials.yaml --limit time=10m -- npm install\n\n"
    "Exit status: the command's own; 123 the task ended, but its record could not be kept; 124 time limit;\n"
    "125 the sandbox could not be made (nothing ran); 126/127 the command could not be executed/found;\n"
    "128+N killed by signal N.";

constexpr const char* listen_example =
    "Example:\n"
    "  aduana listen --http 127.0.0.1:3128 --policy policy.yaml --out /tmp/task &\n"
    "  env $(cat /tmp/task/environment) curl https://api.example.com/\n\n"
    "Unlike in a sandbox, nothing forces a program through these listeners, and whoever can reach\n"
    "them is the task: put only trusted clients, or a network of its own, in front of them.\n"
    "A transparent listener takes what was redirected to it (nftables or iptables: SO_ORIGINAL_DST).\n\n"
    "It says where it listens and where its certificate authority is, and runs until SIGTERM or\n"
    "Ctrl-C. Exit status: 0 it was told to stop; 1 it could not start, the proxy or the broker ended, or its\n"
    "record could not be kept; 2 usage.";

void add_task(CLI::App& app, TaskOptions& options)
{
    app.add_option("--policy", options.policy, "the policy file; without it every destination is refused");
    app.add_option("--credentials", options.credentials, "the operator's credentials file");
    app.add_option("--task", options.task, "name of the task in records (default: made up)");
    app.add_option("--label", options.labels, "K=V for the record; may be repeated")->take_all();
    app.add_option("--config", options.config, "the operator's file");
    app.add_option("--record", options.record, "where the signed task record goes (default: the state folder)");
    app.add_option("--journal", options.journal, "folder of the journal (default: the state folder)");
    app.add_flag("--verbose", options.verbose, "say what is being done");
    app.add_flag("--json", options.json, "print the task record's statement on stderr at the end");
}

void add_listen(CLI::App& app, ListenOptions& options)
{
    app.footer(listen_example);
    app.add_option("--http", options.http, "ADDR:PORT of a proxy (absolute-form and CONNECT); may be repeated")
        ->take_all();
    app.add_option("--transparent", options.transparent,
                   "ADDR:PORT for redirected connections (HTTP or TLS by SNI); may be repeated")
        ->take_all();
    app.add_flag("--beyond-loopback", options.beyond_loopback, "allow addresses that other machines can reach");
    app.add_option("--out", options.out,
                   "folder for ca.pem, ca-bundle.pem and environment (default: listen/TASK in the state folder)");
    add_task(app, options);
}

void add_run(CLI::App& app, RunOptions& options)
{
    app.footer(run_example);
    add_task(app, options);
    app.add_option("--workdir", options.workdir,
                   "the writable folder, mounted at the same path (default: the current one)");
    app.add_option("--ro", options.read_only, "PATH[:AT]: mount read-only; may be repeated")->take_all();
    app.add_option("--rw", options.read_write, "PATH[:AT]: mount writable; may be repeated")->take_all();
    app.add_option("--env", options.environment, "K=V: set a variable; may be repeated")->take_all();
    app.add_option("--env-pass", options.pass_environment, "NAME: pass a variable of yours; may be repeated")
        ->take_all();
    app.add_option("--limit", options.limits,
                   "memory=1GiB, cpus=1.5, processes=256, disk=1GiB, time=10m, open_files=4096; may be repeated")
        ->take_all();
    app.add_flag("--rootless", options.rootless, "not available yet: run as root");
    app.add_flag("--dry-run", options.dry_run, "print what would be done, and start nothing");
}

void add_audit(CLI::App& app, AuditOptions& options)
{
    app.add_option("--config", options.config, "the operator's file");
    app.add_option("--journal", options.journal, "folder of the journals (default: the state folder)");
    app.add_option("--task", options.task, "only this task");
    app.add_option("--public-key", options.public_key,
                   "PEM of the installation's public key (default: the state folder's)");
    app.add_option("files", options.files, "journals (*.jsonl) to read instead of a folder's");
}

struct CommandLine {
    CLI::App app{about, "aduana"};
    RunOptions run;
    ListenOptions listen;
    ServeOptions serve;
    PsOptions ps;
    DetachOptions detach;
    PolicyCheckOptions check;
    AuditOptions audit;
    SecretPutOptions secret;
    SecretRemoveOptions removed;
    DoctorOptions doctor;
    CLI::App* run_command = nullptr;
    CLI::App* listen_command = nullptr;
    CLI::App* serve_command = nullptr;
    CLI::App* ps_command = nullptr;
    CLI::App* detach_command = nullptr;
    CLI::App* check_command = nullptr;
    CLI::App* show_command = nullptr;
    CLI::App* verify_command = nullptr;
    CLI::App* put_command = nullptr;
    CLI::App* list_command = nullptr;
    CLI::App* remove_command = nullptr;
    CLI::App* doctor_command = nullptr;

    CommandLine()
    {
        app.require_subcommand(1);
        app.footer("Example:\n  aduana run --policy policy.yaml -- curl https://api.example.com/");
        app.set_version_flag("--version", "aduana 0.1.0");
        run_command = app.add_subcommand("run", "run a command in a sandbox: aduana run [OPTIONS] -- COMMAND...");
        add_run(*run_command, run);
        listen_command = app.add_subcommand("listen", "open a proxy for programs that run outside of a sandbox");
        add_listen(*listen_command, listen);
        add_serving();

        auto* policy = app.add_subcommand("policy", "work on policy files");
        policy->require_subcommand(1);
        policy->footer("Example:\n  aduana policy check policy.yaml");
        check_command = policy->add_subcommand("check", "report every mistake of the files at once");
        check_command->add_option("files", check.files, "policy files")->required();
        check_command->add_option("--credentials", check.credentials,
                                  "check the bindings against this credentials file, and the files that it names");
        check_command->add_option("--config", check.config, "check this operator's file as well");
        check_command->footer("Example:\n  aduana policy check policy.yaml --credentials credentials.yaml\n\n"
                              "Exit status: 0 no mistakes; 1 mistakes; 2 usage.");

        auto* audit_command = app.add_subcommand("audit", "read and verify records");
        audit_command->require_subcommand(1);
        audit_command->footer("Example:\n  aduana audit show --task build-1");
        show_command = audit_command->add_subcommand("show", "show what was recorded, as a table");
        add_audit(*show_command, audit);
        show_command->add_option("--since", audit.since, "only the last span of time, such as 1h");
        show_command
            ->add_option("--decision", audit.decision,
                         "allow, intercept: only requests that the policy let pass, or looked into; deny: "
                         "only what was refused, also by an address, a limit or the answer")
            ->check(CLI::IsMember({"allow", "intercept", "deny"}));
        show_command->add_flag("--json", audit.json, "the lines as they are");
        show_command->footer("Example:\n  aduana audit show --since 1h --decision deny");
        verify_command = audit_command->add_subcommand("verify", "prove that nothing was changed");
        add_audit(*verify_command, audit);
        verify_command->add_option("--record", audit.record,
                                   "the task record of the journal, or a folder of records (default: the state "
                                   "folder's, if its key is the one that is used)");
        verify_command->footer(
            "Example:\n  aduana audit verify --public-key installation.pub.pem 2026-01-31-build.jsonl\n\n"
            "A journal is compared with its signed record: an older copy that was put back, another task's journal in\n"
            "its place, a new name and a missing file are found out. Files that end in .json are records by "
            "themselves.\n"
            "Without FILE and --journal, each record must have its journal, where it says or in the journal folder.\n"
            "What has no record is proof against changes, not against an older copy: the line says so.\n"
            "Exit status: 0 sound (or ahead of its seal, with a warning); 1 damaged; 2 usage.");

        add_secret();

        doctor_command = app.add_subcommand("doctor", "what this machine can do for Aduana, and what it lacks");
        doctor_command->add_flag("--json", doctor.json, "machine-readable");
        doctor_command->footer(
            "Example:\n  aduana doctor\n\nExit status: 0 everything is there; 1 something is missing.");
    }

    /// The sealed store.
    void add_secret()
    {
        auto* command = app.add_subcommand("secret", "keep secrets sealed, for `source: {secret: NAME}`");
        command->require_subcommand(1);
        command->footer("Example:\n  aduana secret put issues --host api.example.com < token");
        put_command =
            command->add_subcommand("put", "seal a value; it is read from stdin, never from the command line");
        put_command->add_option("name", secret.name, "what credentials files call it")->required();
        put_command->add_option("--from-file", secret.from_file, "read the value from this file");
        put_command->add_option("--host", secret.hosts, "send it to this host only, as in a rule; may be repeated")
            ->take_all();
        put_command->add_option("--task", secret.tasks, "for tasks of this name (or \"build-*\"); may be repeated")
            ->take_all();
        put_command->add_option("--not-after", secret.not_after, "2027-01-31 or 2027-01-31T12:00:00Z: of no use then");
        put_command->add_option("--max-ttl", secret.max_ttl, "the longest lease, such as 15m");
        put_command->footer("Example:\n  aduana secret put issues --host api.example.com --max-ttl 10m < token\n\n"
                            "What is said here travels inside the sealed box: a credentials file can only narrow it.\n"
                            "Exit status: 0 stored; 1 not; 2 usage.");
        list_command = command->add_subcommand("list", "names, and when they were stored");
        list_command->footer("Example:\n  aduana secret list");
        remove_command = command->add_subcommand("remove", "remove one; tasks that run keep what they have");
        remove_command->add_option("name", removed.name, "its name")->required();
        remove_command->footer("Example:\n  aduana secret remove issues\n\nExit status: 0 removed; 1 not; 2 usage.");
    }

    /// What tasks of one machine share.
    void add_serving()
    {
        serve_command = app.add_subcommand("serve", "share one proxy and one broker among the tasks of this machine");
        serve_command->add_option("--config", serve.config, "the operator's file (identities)");
        serve_command->add_option("--workers", serve.workers, "threads of the proxy (default: one for each processor)")
            ->check(CLI::Range(1, 256));
        serve_command->footer(
            "Example:\n  aduana serve --config /etc/aduana/aduana.yaml\n\n"
            "Runs in the foreground until SIGTERM or Ctrl-C. `aduana run` and `aduana listen` find it by its socket\n"
            "($ADUANA_RUNTIME_DIR, else /run/aduana). If it dies, its tasks are stopped: without it there is no way "
            "out.\n"
            "Exit status: 0 it was told to stop; 1 it could not start, or the proxy or the broker ended; 2 usage.");
        ps_command = app.add_subcommand("ps", "list the tasks that aduana serve serves");
        ps_command->add_flag("--leases", ps.leases, "list the leases of credentials that are live in them instead");
        ps_command->add_flag("--json", ps.json, "machine-readable");
        ps_command->footer(
            "Example:\n  aduana ps --leases\n\n"
            "--leases reads the journal of each task: a lease is listed while its time is not over, uses are left (or\n"
            "its last one goes on) and no other has taken its place. USES LEFT is at most: a request counts once.\n"
            "Exit status: 0; 1 aduana serve does not run, or a journal cannot be read (it is named, the others are\n"
            "listed); 2 usage.");
        detach_command = app.add_subcommand("detach", "end a task of aduana serve, with its command and its leases");
        detach_command->add_option("task", detach.task, "its name, as of aduana ps")->required();
        detach_command->footer("Example:\n  aduana detach build-1\n\n"
                               "Exit status: 0 it is gone; 1 there is no such task, or no aduana serve; 2 usage.");
    }

    [[nodiscard]] int dispatch() const
    {
        if (*run_command)
            return cli::run(run);
        if (*listen_command)
            return cli::listen(listen);
        if (*serve_command)
            return cli::serve(serve);
        if (*ps_command)
            return cli::ps(ps);
        if (*detach_command)
            return cli::detach(detach);
        if (*check_command)
            return policy_check(check);
        if (*show_command)
            return audit_show(audit);
        if (*verify_command)
            return audit_verify(audit);
        if (*put_command)
            return secret_put(secret);
        if (*list_command)
            return secret_list();
        if (*remove_command)
            return secret_remove(removed);
        return cli::doctor(doctor);
    }
};

std::string full_name(const CLI::App* app)
{
    const auto* parent = app->get_parent();
    return parent == nullptr ? app->get_name() : full_name(parent) + " " + app->get_name();
}

std::vector<CLI::App*> subcommands_of(CLI::App& app)
{
    return app.get_subcommands([](const CLI::App*) { return true; });
}

std::string names_of(CLI::App& app)
{
    std::string names;
    for (const auto* one : subcommands_of(app))
        names.append(names.empty() ? "" : ", ").append(one->get_name());
    return names;
}

/// As far as the arguments name subcommands. `unknown`: the word where the next one should stand, or empty.
struct Named {
    CLI::App* app = nullptr;
    std::string unknown{};
};

Named named_by(CLI::App& root, std::span<char* const> arguments)
{
    Named named{&root};
    for (const std::string word : arguments) {
        const auto subcommands = subcommands_of(*named.app);
        if (word.starts_with('-') || subcommands.empty())
            break;
        const auto next = std::ranges::find(subcommands, word, [](const CLI::App* app) { return app->get_name(); });
        if (next == subcommands.end()) {
            named.unknown = word;
            break;
        }
        named.app = *next;
    }
    return named;
}

/// The parser gives what it did not expect from the last to the first.
std::string first_unexpected(const CLI::App& app, std::span<char* const> arguments)
{
    const auto unexpected = app.remaining(true);
    for (const std::string_view word : arguments)
        if (std::find(unexpected.begin(), unexpected.end(), word) != unexpected.end())
            return std::string(word);
    return {};
}

/// What was wrong, without values: on a command line that went wrong, one could be a secret.
std::string complaint(const CLI::ParseError& error, const CommandLine& line, const Named& named,
                      std::span<char* const> arguments)
{
    const auto name = full_name(named.app);
    if (!named.unknown.empty())
        return "`" + name + "` has no subcommand " + policy::discreet(named.unknown) +
               "; it has: " + names_of(*named.app);
    if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr)
        return error.what();
    const auto word = first_unexpected(line.app, arguments);
    if (word.starts_with('-'))
        return policy::discreet(word.substr(0, word.find('='))) + " is no option of `" + name + "`";
    if (named.app == line.put_command)
        return "secret put takes a name alone; its value is read from standard input, from a file (--from-file), or "
               "asked for on a terminal, never from the command line, where others can see it";
    return "`" + name + "` does not expect " + policy::discreet(word);
}

/// What stands behind the first "--" of `run` is the command, to the byte: the parser would take "[a,b]" apart.
struct Split {
    int own = 0; ///< how many arguments are Aduana's
    std::vector<std::string> command;
};

Split split_at_command(int argc, char** argv)
{
    if (argc < 2 || std::string_view(argv[1]) != "run")
        return {argc, {}};
    for (int i = 2; i < argc; ++i) {
        if (std::string_view(argv[i]) == "--")
            return {i, {argv + i + 1, argv + argc}};
    }
    return {argc, {}};
}

} // namespace

int main_of(int argc, char** argv)
{
    CommandLine line;
    Split split = split_at_command(argc, argv);
    try {
        line.app.parse(split.own, argv);
    } catch (const CLI::CallForHelp& help) {
        return line.app.exit(help);
    } catch (const CLI::CallForAllHelp& help) {
        return line.app.exit(help);
    } catch (const CLI::CallForVersion& version) {
        return line.app.exit(version);
    } catch (const CLI::ParseError& error) {
        const std::span<char* const> arguments(argv + std::min(split.own, 1), argv + split.own);
        const auto named = named_by(line.app, arguments);
        say(complaint(error, line, named, arguments) + "; see `" + full_name(named.app) + " --help`");
        return *line.run_command ? exit_setup_failed : exit_usage;
    }
    if (*line.run_command && split.command.empty()) {
        say("run: no command was given; write it after --, as in: aduana run --policy policy.yaml -- npm install");
        return exit_setup_failed;
    }
    line.run.command = std::move(split.command);
    return line.dispatch();
}

} // namespace aduana::cli
