// SPDX-License-Identifier: Apache-2.0
// What the command line says, before anything is looked at.
#pragma once

#include "policy/limits.hpp"

#include <string>
#include <vector>

namespace aduana::cli {

/// What every task is made from, whatever its code runs in.
struct TaskOptions {
    std::string policy;
    std::string credentials;
    std::string task;
    std::vector<std::string> labels;
    std::string config;
    std::string record;
    std::string journal;
    bool verbose = false;
    bool json = false;
};

struct RunOptions : TaskOptions {
    std::string workdir;
    std::vector<std::string> read_only;  ///< PATH[:AT]
    std::vector<std::string> read_write; ///< PATH[:AT]
    std::vector<std::string> environment;
    std::vector<std::string> pass_environment;
    std::vector<std::string> limits;
    bool rootless = false;
    bool dry_run = false;
    std::vector<std::string> command;
};

struct ListenOptions : TaskOptions {
    std::vector<std::string> http;        ///< ADDR:PORT
    std::vector<std::string> transparent; ///< ADDR:PORT
    bool beyond_loopback = false;
    std::string out; ///< folder for the CA and the environment
};

struct ServeOptions {
    std::string config;
    unsigned workers = 0; ///< 0: one for each processor
};

struct PsOptions {
    bool json = false;
    bool leases = false;
};

struct DetachOptions {
    std::string task;
};

struct PolicyCheckOptions {
    std::vector<std::string> files;
    std::string credentials;
    std::string config;
};

struct AuditOptions {
    std::string config;
    std::string journal; ///< a folder or one file
    std::string task;
    std::string since;
    std::string decision;
    std::string public_key;
    std::string record; ///< a file or a folder; empty: the state folder's
    std::vector<std::string> files;
    bool json = false;
};

struct SecretPutOptions {
    std::string name;
    std::string from_file; ///< empty: stdin, or a question on the terminal
    std::vector<std::string> hosts;
    std::vector<std::string> tasks;
    std::string not_after;
    std::string max_ttl;
};

struct SecretRemoveOptions {
    std::string name;
};

struct DoctorOptions {
    bool json = false;
};

/// Each subcommand; the return value is the exit status.
int run(const RunOptions& options);
int listen(const ListenOptions& options);
int serve(const ServeOptions& options);
int ps(const PsOptions& options);
int detach(const DetachOptions& options);
int policy_check(const PolicyCheckOptions& options);
int audit_show(const AuditOptions& options);
int audit_verify(const AuditOptions& options);
int secret_put(const SecretPutOptions& options);
int secret_list();
int secret_remove(const SecretRemoveOptions& options);
int doctor(const DoctorOptions& options);

/// Parses and dispatches.
int main_of(int argc, char** argv);

} // namespace aduana::cli
