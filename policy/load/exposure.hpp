// SPDX-License-Identifier: Apache-2.0
// Whether the sandbox that a policy asks for would show the very secrets that are kept from it.
#pragma once

#include "policy/credentials.hpp"
#include "policy/load/mistakes.hpp"
#include "policy/load/node.hpp"
#include "policy/task_policy.hpp"

#include <vector>

namespace aduana::policy::load {

/// Reports variables and mounts of `sandbox` that hold a credential's source, and variables that would replace a
/// placeholder. `root` is the document that the policy was read from. By names alone: a link in a mounted folder is for
/// the one who makes the mount to judge.
void check_exposure(const SandboxSettings& sandbox, const Node& root,
                    const std::vector<CredentialDeclaration>& credentials, Mistakes& mistakes);

} // namespace aduana::policy::load
