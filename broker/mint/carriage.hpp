// SPDX-License-Identifier: Apache-2.0
// Calls to issuers and programs to run, and what becomes of them, as frames of the socket pairs to the process that has
// a network and to the one that may execute.
//
//   broker -> courier   1 Call            courier -> broker   2 Answer | 3 Undelivered
//   broker -> runner    4 Run             runner -> broker    5 Printed
//
// The request id of the frame is the errand's.
#pragma once

#include "broker/mint/dialogue.hpp"
#include "broker/sealed/kept_token.hpp"
#include "policy/base/wire.hpp"

namespace aduana::broker {

/// Longest body of an Answer, in bytes; most fields of one, and the longest value.
inline constexpr std::size_t max_answer_body = 64 * 1024;
inline constexpr std::uint32_t max_answer_fields = 100;
inline constexpr std::size_t max_answer_value = 8 * 1024;

/// No answer came. It is not known whether the issuer has seen the call.
struct Undelivered {
    std::string detail; ///< for the operator: names the host, and no text of the issuer
};
using Carried = std::variant<Answer, Undelivered, Printed>;

/// Most texts of a Run's command, and most of its environment; the longest one. In bytes, most that a program prints.
inline constexpr std::uint32_t max_run_texts = 64;
inline constexpr std::size_t max_run_text = 8 * 1024;
inline constexpr std::size_t max_printed = 64 * 1024;

/// The frame is empty if the message does not fit into one. Frames hold secrets: a Writer wipes its own.
/// `keep` goes to the carrier with the file that it is about, as the only descriptor beside the frame.
[[nodiscard]] wire::Writer encode_call(const Call& call, std::uint64_t errand, const KeepOrder* keep);
[[nodiscard]] wire::Writer encode_run(const Run& run, std::uint64_t errand);
[[nodiscard]] wire::Writer encode_carried(const Carried& carried, std::uint64_t errand);

struct ErrandFrame {
    std::uint64_t request = 0;
    Call call;
    std::optional<KeepOrder> keep{}; ///< the refresh token of the answer, before the answer goes back
};
struct RunFrame {
    std::uint64_t request = 0;
    Run run;
};
struct CarriedFrame {
    std::uint64_t request = 0;
    Carried carried;
};
/// `frame` is wiped by its owner. Errors name the field.
[[nodiscard]] Result<ErrandFrame> decode_call(std::string_view frame);
[[nodiscard]] Result<RunFrame> decode_run(std::string_view frame);
[[nodiscard]] Result<CarriedFrame> decode_carried(std::string_view frame);

} // namespace aduana::broker
