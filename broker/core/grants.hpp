// SPDX-License-Identifier: Apache-2.0
// What one task may use, where: the operator's bound on each credential and the task's policy, both asked here again.
#pragma once

#include "broker/protocol/messages.hpp"
#include "policy/base/result.hpp"
#include "policy/credentials.hpp"
#include "policy/task_policy.hpp"

#include <map>
#include <optional>
#include <span>
#include <string_view>

namespace aduana::broker {

/// What is known of a request beside its Acquire, when it is signed.
struct Beside {
    std::optional<std::string_view> query{};    ///< without its "?"
    std::span<const std::string_view> fields{}; ///< names
};

/// A value, or a refusal for the peer.
template <class T>
using Granted = boost::system::result<T, Refused>;

class Grants {
public:
    /// Keeps the declarations that an allow rule of the policy names, and the parent's: the others do not exist for
    /// this task.
    Grants(policy::TaskPolicy policy, std::vector<policy::CredentialDeclaration> declarations, ParentProxy parent = {});

    [[nodiscard]] const std::map<std::string, policy::CredentialDeclaration>& credentials() const noexcept
    {
        return credentials_;
    }

    /// For what a sealed secret narrows when the task is opened. The credential must be one of the task's.
    [[nodiscard]] policy::CredentialDeclaration& declaration(const std::string& name) { return credentials_.at(name); }

    /// It opens the parent proxy and is for nothing else: the sandbox gets no placeholder for it.
    [[nodiscard]] bool is_parents(std::string_view credential) const;
    /// What is wrong with the parent's credential, where there is one.
    [[nodiscard]] Granted<Ok> check_parent() const;

    /// The declaration of the credential if the request may have it: the host proved its name, the bound covers
    /// destination, method and path, and the policy decides for a rule that names this credential. The proxy has
    /// decided the same before; a proxy that was taken over is why it is not believed. Of a request that is only leased
    /// for, the query and the fields are not known, and what a preset closes of them is the proxy's to refuse. Valid
    /// while this lives.
    [[nodiscard]] Granted<const policy::CredentialDeclaration*> judge(const Acquire& request,
                                                                      const Beside& beside = {}) const;

private:
    [[nodiscard]] Granted<const policy::CredentialDeclaration*> judge_parent(const Acquire& request) const;

    policy::TaskPolicy policy_;
    ParentProxy parent_;
    std::map<std::string, policy::CredentialDeclaration> credentials_; ///< by name
};

} // namespace aduana::broker
