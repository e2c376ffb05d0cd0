// SPDX-License-Identifier: Apache-2.0
// The body of an answer on its way to a sandbox: its content coding comes off, then secrets come out.
#pragma once

#include "proxy/core/content_decoder.hpp"
#include "proxy/core/scrub.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aduana::proxy {

/// What is put into a body of this type: the formats that say how long their parts are before them (gRPC, Connect,
/// Protocol Buffers, MessagePack, CBOR) keep every length.
[[nodiscard]] ReplacedLength replaced_length(const Fields& fields);

class BodyFilter {
public:
    /// As for a Scrubber: a set must outlive its use.
    BodyFilter(ContentCoding coding, const ScrubSet& set, ReplacedLength length = ReplacedLength::own);

    void use(const ScrubSet& set) { scrubber_.use(set); }

    enum class Last : std::uint8_t { no, yes };
    enum class State : std::uint8_t {
        fed,    ///< everything was taken
        again,  ///< there is more: call again, with the same `last`, when `out` has gone on
        failed, ///< it cannot be searched: `why`
    };
    /// Takes a prefix off `in` and appends to `out` what may go on: 16 KiB and what was held back, or as much as `in`
    /// has.
    [[nodiscard]] State next(std::string_view& in, Last last, std::string& out);

    [[nodiscard]] std::uint64_t replaced() const noexcept { return scrubber_.replaced(); }
    [[nodiscard]] std::string_view why() const noexcept { return why_; }

private:
    /// Of the coding: what came out of it this time.
    [[nodiscard]] State decode(std::string_view& in, std::string_view& decoded);

    std::optional<ContentDecoder> decoder_;
    std::vector<char> decoded_; ///< room for one step
    Scrubber scrubber_;
    std::string_view why_;
};

} // namespace aduana::proxy
