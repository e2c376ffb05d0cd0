// SPDX-License-Identifier: Apache-2.0
// Frames between the broker and the processes beside it: whatever bytes arrive, what is taken from them has one
// spelling and keeps its bounds.
#include "broker/mint/carriage.hpp"

#include <cstdlib>

using namespace aduana;
using namespace aduana::broker;

namespace {

void require(bool holds)
{
    if (!holds)
        std::abort();
}

void check_run(std::string_view frame)
{
    const auto decoded = decode_run(frame);
    if (!decoded)
        return;
    require(!decoded->run.command.empty() && decoded->run.command.size() <= max_run_texts);
    require(encode_run(decoded->run, decoded->request).frame() == frame);
}

void check_carried(std::string_view frame)
{
    const auto decoded = decode_carried(frame);
    if (!decoded)
        return;
    if (const auto* printed = std::get_if<Printed>(&decoded->carried))
        require(printed->output.size() <= max_printed);
    if (const auto* answer = std::get_if<Answer>(&decoded->carried))
        require(answer->body.size() <= max_answer_body && answer->fields.size() <= max_answer_fields);
    require(encode_carried(decoded->carried, decoded->request).frame() == frame);
}

/// A call is not always spelled as it came: host names have one spelling, and addresses another.
void check_call(std::string_view frame)
{
    const auto decoded = decode_call(frame);
    if (!decoded)
        return;
    const auto& keep = decoded->keep;
    const auto again = decode_call(encode_call(decoded->call, decoded->request, keep ? &*keep : nullptr).frame());
    require(again.has_value() && again->keep == keep);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view frame(reinterpret_cast<const char*>(data), size);
    check_run(frame);
    check_carried(frame);
    check_call(frame);
    return 0;
}
