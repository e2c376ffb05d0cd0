// SPDX-License-Identifier: Apache-2.0
// Where Aduana keeps what outlives a task: its folders and the key that signs records.
#pragma once

#include "certs/signing_key.hpp"
#include "policy/base/result.hpp"

#include <string>

namespace aduana::cli {

/// $ADUANA_STATE_DIR; else /var/lib/aduana as root, $XDG_STATE_HOME/aduana or ~/.local/state/aduana for others.
struct Folders {
    std::string state;
    [[nodiscard]] std::string journal() const { return state + "/journal"; }
    [[nodiscard]] std::string records() const { return state + "/records"; }
    [[nodiscard]] std::string secrets() const { return state + "/secrets"; }
    [[nodiscard]] std::string refresh_tokens() const { return state + "/refresh-tokens"; }
    [[nodiscard]] std::string revocations() const { return state + "/revocations"; }
    [[nodiscard]] std::string keys() const { return state + "/keys"; }
    [[nodiscard]] std::string public_key() const { return keys() + "/installation.pub.pem"; }
};
[[nodiscard]] Folders folders();

/// Makes `path` and its parents (0755; the last one with `mode`), owned by the caller.
[[nodiscard]] Result<Ok> make_folder(const std::string& path, unsigned mode);

/// Reads the installation's Ed25519 key, or makes it (0600, with the public half beside it). Safe against a race of
/// several first runs: one of them wins, all use the winner's key. A key file that others can read is an error.
[[nodiscard]] Result<certs::SigningKey> installation_key(const Folders& folders);

/// At most `limit` bytes of a regular file; the error names the file and what went wrong.
[[nodiscard]] Result<std::string> read_file(const std::string& path, std::size_t limit);
/// Replaces `path` by rename, so that a reader sees the old or the new content. Only a regular file is replaced.
[[nodiscard]] Result<Ok> write_file(const std::string& path, std::string_view content, unsigned mode);
/// Makes `path`, whole from its first moment on (link(2)). False: there is one already, perhaps of another run that was
/// first, and it stays.
[[nodiscard]] Result<bool> make_file(const std::string& path, std::string_view content, unsigned mode);

} // namespace aduana::cli
