// SPDX-License-Identifier: Apache-2.0
// certutil, in a child that has become the sandbox's user.
#include "sandbox-shim/apply/nss_database.hpp"

#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace aduana::shim {

namespace {

[[noreturn]] void execute_certutil(const MakeNssDatabase& op, const std::string& home, const std::string& authority)
{
    const std::string settings = home + "/.pki";
    const std::string database = settings + "/nssdb";
    const std::string place = "sql:" + database;
    const std::array<const char*, 12> argv = {op.certutil.c_str(), "-A",   "-d",  place.c_str(), "-n",
                                              "Aduana task CA",    "-t",   "C,,", "-i",          authority.c_str(),
                                              "--empty-password",  nullptr};
    // Without the last, NSS measures the file system for 30 ms to decide about a cache.
    const std::array<const char*, 3> environment = {"PATH=/usr/bin:/bin", "NSS_SDB_USE_CACHE=no", nullptr};
    const int null = ::open("/dev/null", O_RDWR);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        ::dup2(null, stream);
    if (::setgroups(0, nullptr) != 0 || ::setresgid(op.owner, op.owner, op.owner) != 0 ||
        ::setresuid(op.owner, op.owner, op.owner) != 0)
        ::_exit(127);
    ::umask(077);
    if (::mkdir(settings.c_str(), 0700) != 0 || ::mkdir(database.c_str(), 0700) != 0)
        ::_exit(127);
    ::execve(argv[0], const_cast<char* const*>(argv.data()), const_cast<char* const*>(environment.data()));
    ::_exit(127);
}

} // namespace

void make_nss_database(const MakeNssDatabase& op, const std::string& home, const std::string& authority)
{
    const pid_t child = ::fork();
    if (child == 0)
        execute_certutil(op, home, authority);
    int status = 0;
    while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
}

} // namespace aduana::shim
