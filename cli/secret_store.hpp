// SPDX-License-Identifier: Apache-2.0
// Where sealed secrets lie: one box for each name, and the key pair that they are sealed to.
//
//   STATE/secrets/NAME.box    what was stored; useless without the key
//   STATE/secrets/store.pub   is all that storing needs
//   STATE/secrets/store.key   opens them; or $CREDENTIALS_DIRECTORY/aduana-store-key (systemd.exec(5))
#pragma once

#include "broker/sealed/sealed_secret.hpp"
#include "policy/base/fd.hpp"

#include <string>
#include <vector>

namespace aduana::cli {

struct StoredSecret {
    std::string name;
    std::string stored; ///< when: "2026-01-31T12:00:00Z"
};

class SecretStore {
public:
    explicit SecretStore(std::string folder) : folder_(std::move(folder)) {}

    /// Replaces what was stored under the name. The first one makes the key pair and says so.
    [[nodiscard]] Result<Ok> put(const broker::SealedSecret& secret) const;
    /// By name. Nothing but names and times can be told without the key.
    [[nodiscard]] Result<std::vector<StoredSecret>> list() const;
    [[nodiscard]] Result<Ok> remove(const std::string& name) const;
    /// Makes the key pair if there is none, and says so.
    [[nodiscard]] Result<Ok> ensure_keys() const;

    /// For whoever opens the box: neither is read here.
    [[nodiscard]] Result<UniqueFd> open_box(const std::string& name) const;
    [[nodiscard]] Result<UniqueFd> open_key() const;

    [[nodiscard]] const std::string& folder() const noexcept { return folder_; }

private:
    [[nodiscard]] std::string box(const std::string& name) const { return folder_ + "/" + name + ".box"; }
    [[nodiscard]] std::string public_key() const { return folder_ + "/store.pub"; }
    [[nodiscard]] std::string private_key() const;
    [[nodiscard]] Result<std::string> read_public_key() const;
    [[nodiscard]] Result<Ok> make_keys() const;

    std::string folder_;
};

/// [a-z0-9][a-z0-9._-]{0,63}, as in the credentials file: a name is a part of a path.
[[nodiscard]] Result<Ok> check_secret_name(const std::string& name);

} // namespace aduana::cli
