// SPDX-License-Identifier: Apache-2.0
// The hash chain of a journal, read from its bytes, and which line of it was changed. Pure.
//
//   line k ──sha256──▶ "prev" of line k+1 ──(part of line k+1)──sha256──▶ "prev" of line k+2 ... ──▶ head, signed
//
// A broken link says that one of two lines was changed. The later one is known to be as written if its own hash is
// still what came after it says; so the first of the two is to blame, and else the second.
#pragma once

#include "audit/head.hpp"
#include "certs/digest.hpp"
#include "certs/signing_key.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aduana::audit {

struct Fault {
    std::uint64_t line = 0; ///< 1-based
    std::string message;
};

struct ChainLine {
    std::string hash;        ///< of this line, hexadecimal
    std::string prev;        ///< as it says of the line before
    bool checkpoint = false; ///< its `prev` is confirmed by a signature
};

struct Chain {
    std::string task;
    std::string task_key;         ///< base64
    std::string certificate;      ///< base64
    std::vector<ChainLine> lines; ///< whole, well-formed lines from the first on
    std::size_t bytes = 0;        ///< that they take
    bool ended = false;           ///< the last of them, but for checkpoints, is task.end
    bool torn = false;            ///< bytes without a newline follow them
    std::optional<Fault> fault;   ///< of the line after them: not well-formed, or not in its place
};

/// Reads up to the first line that is not well-formed. Links are not looked at.
[[nodiscard]] Chain read_chain(std::string_view journal);

/// The key that signs this journal's heads, if line 1 names one.
[[nodiscard]] std::optional<certs::VerifyingKey> task_key_of(const Chain& chain);

/// The first line that is not as it was written. `sealed` is the head, if its signature holds.
[[nodiscard]] std::optional<Fault> first_fault(const Chain& chain, const std::optional<Head>& sealed);

} // namespace aduana::audit
