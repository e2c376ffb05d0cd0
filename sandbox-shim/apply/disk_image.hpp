// SPDX-License-Identifier: Apache-2.0
// The bounded disk of a sandbox: a nameless file with ext4 in it, behind a loop device. A full one gives ENOSPC; a
// tmpfs counts as memory and would end in an OOM kill.
#pragma once

#include "policy/base/fd.hpp"
#include "policy/base/result.hpp"
#include "sandbox-shim/op.hpp"

#include <string>

namespace aduana::shim {

struct LoopDevice {
    UniqueFd device; ///< the device detaches when this and every mount of it are closed
    std::string path;
};

[[nodiscard]] Result<LoopDevice> make_disk(const MakeDisk& op);

} // namespace aduana::shim
