// SPDX-License-Identifier: Apache-2.0
// The first program inside a sandbox: says that it is there, becomes the command, or says why it could not.
//
//   aduana-stub STATUS_FD ENVIRONMENT_FD -- COMMAND...
//     STATUS_FD       SEQPACKET: "R" when the sandbox stands; then the exec closes it, or the errno in decimal
//     ENVIRONMENT_FD  K=V, each ended by NUL
//   exit status: 127 the command was not found, 126 it could not be executed
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

std::string read_all(int file)
{
    std::string text;
    char chunk[4096];
    for (ssize_t size = 0; (size = ::read(file, chunk, sizeof chunk)) > 0;)
        text.append(chunk, static_cast<std::size_t>(size));
    return text;
}

/// Pointers into `text`, which ends every entry with NUL; null at the end.
std::vector<char*> entries_of(std::string& text)
{
    std::vector<char*> entries;
    for (std::size_t at = 0; at < text.size(); at += std::strlen(text.data() + at) + 1)
        entries.push_back(text.data() + at);
    entries.push_back(nullptr);
    return entries;
}

std::string path_of(const std::vector<char*>& environment)
{
    for (const char* entry : environment)
        if (entry != nullptr && std::strncmp(entry, "PATH=", 5) == 0)
            return entry + 5;
    return "/usr/local/bin:/usr/bin:/bin";
}

/// A script without "#!" is a shell's, as execvp(3) has it.
void execute_by_shell(const std::string& path, char** argv, char** environment)
{
    static char shell[] = "/bin/sh";
    std::string script = path;
    std::vector<char*> words = {shell, script.data()};
    for (char** word = argv + 1; *word != nullptr; ++word)
        words.push_back(*word);
    words.push_back(nullptr);
    ::execve(shell, words.data(), environment);
}

/// Returns the errno that says most about why nothing could be executed.
int execute(char** argv, const std::vector<char*>& environment)
{
    const std::string name = argv[0];
    char** const variables = const_cast<char**>(environment.data());
    const auto attempt = [&](const std::string& path) {
        ::execve(path.c_str(), argv, variables);
        if (errno == ENOEXEC)
            execute_by_shell(path, argv, variables);
        return errno;
    };
    if (name.empty() || name.find('/') != std::string::npos)
        return attempt(name);

    int worst = ENOENT;
    std::string rest = path_of(environment);
    while (true) {
        const std::size_t end = rest.find(':');
        const std::string folder = rest.substr(0, end);
        const int error = attempt((folder.empty() ? "." : folder) + "/" + name);
        // A file that may not be executed counts only if no other folder has a better one.
        if (error == EACCES)
            worst = EACCES;
        else if (error != ENOENT && error != ENOTDIR)
            return error;
        if (end == std::string::npos)
            return worst;
        rest.erase(0, end + 1);
    }
}

void restore_signals()
{
    for (int signal = 1; signal < NSIG; ++signal)
        ::signal(signal, SIG_DFL);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

} // namespace

int main(int argc, char** argv)
{
    constexpr int setup_failed = 125;
    if (argc < 5 || std::strcmp(argv[3], "--") != 0)
        return setup_failed;
    const int status = std::atoi(argv[1]);
    const int environment_file = std::atoi(argv[2]);

    std::string text = read_all(environment_file);
    const std::vector<char*> environment = entries_of(text);
    // Nothing but the standard streams and, until the exec, the status socket.
    ::fcntl(status, F_SETFD, FD_CLOEXEC);
    if (status > STDERR_FILENO + 1)
        ::close_range(STDERR_FILENO + 1, static_cast<unsigned>(status) - 1, 0);
    ::close_range(static_cast<unsigned>(status) + 1, ~0U, 0);
    restore_signals();
    if (::send(status, "R", 1, MSG_NOSIGNAL) != 1)
        return setup_failed;

    const int error = execute(argv + 4, environment);
    char decimal[16];
    const int size = std::snprintf(decimal, sizeof decimal, "%d", error);
    ::send(status, decimal, static_cast<std::size_t>(size), MSG_NOSIGNAL);
    return error == ENOENT || error == ENOTDIR ? 127 : 126;
}
