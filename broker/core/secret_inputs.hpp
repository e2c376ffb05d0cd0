// SPDX-License-Identifier: Apache-2.0
// The secret inputs of a credential, found among what was handed over when its task was opened.
#pragma once

#include "broker/core/grants.hpp"
#include "broker/core/ledger.hpp"
#include "broker/core/token_keeper.hpp"
#include "broker/mint/secrets.hpp"

#include <deque>
#include <map>
#include <memory>

namespace aduana::broker {

/// What the descriptors of a TaskOpen held, read by the shell.
struct Material {
    std::string credentials_text;
    std::string policy_text;
    /// In the order of `TaskOpen::file_sources`; an error (a file that could not be read) only counts if the task's
    /// policy needs the value.
    std::vector<Result<Secret>> files;
    std::chrono::system_clock::time_point now{};                ///< when they were read
    std::map<std::string, std::shared_ptr<TokenSlots>> slots{}; ///< by credential
    std::shared_ptr<LedgerFile> ledger{};                       ///< null: nothing is noted
    std::vector<std::shared_ptr<LedgerFile>> old_ledgers{};
};

struct TakenInputs {
    SecretInputs parts;        ///< of the request, the material and `opened`
    std::deque<Secret> opened; ///< out of sealed boxes
};

/// Valid while `request` and `material` live. Sealed secrets narrow `declaration` to what travels with them. A refusal
/// names the credential and the place of the input.
[[nodiscard]] Granted<TakenInputs> take_inputs(policy::CredentialDeclaration& declaration, const TaskOpen& request,
                                               const Material& material);

/// Unset where the credential is not minted with a refresh token, or nothing was handed over to keep it in.
[[nodiscard]] Granted<std::optional<TokenKeeper>> take_keeper(const std::string& credential, const TaskOpen& request,
                                                              const Material& material, const SecretInputs& parts);

/// Of the secret store.
[[nodiscard]] Result<StoreKeys> take_store_keys(const TaskOpen& request, const Material& material);

/// "credential 'NAME': WHAT; REMEDY".
[[nodiscard]] Refused unavailable(const std::string& credential, const std::string& what, const std::string& remedy);

} // namespace aduana::broker
