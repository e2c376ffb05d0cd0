// SPDX-License-Identifier: Apache-2.0
// A journal and its head as anybody could have written them: never proven without the key, never harmful on a terminal.
#include "audit/json_line.hpp"
#include "audit/table.hpp"
#include "audit/verify.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <cstdlib>

namespace {

using namespace aduana;

void require(bool holds)
{
    if (!holds)
        std::abort();
}

bool is_control(char c)
{
    return (c >= 0 && c < ' ' && c != '\n') || c == 0x7F;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const certs::VerifyingKey nobody(certs::PublicKeyBytes{1, 2, 3});
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const std::string_view head = input.substr(size - std::min<std::size_t>(size, 512));

    const auto found = audit::verify_journal(input, head, nobody);
    require(found.soundness == audit::Soundness::damaged && found.first_bad_line == 1);

    // A record that was signed for exactly this end does not contradict it; one that goes on, or of another task, does.
    const audit::RecordedEnd same{found.task, "", found.lines, found.last_hash};
    require(audit::contradiction(found, input, same).empty());
    require(!audit::contradiction(found, input, {found.task, "", found.lines + 1, found.last_hash}).empty());
    require(!audit::contradiction(found, input, {found.task + "x", "", found.lines, found.last_hash}).empty());
    require(found.lines < 2 || !audit::contradiction(found, input, {found.task, "", found.lines - 1, "0"}).empty());
    (void)audit::recorded_end(input);

    if (const auto events = audit::read_journal(input)) {
        const std::string table = audit::table(*events);
        require(std::none_of(table.begin(), table.end(), is_control));
    }

    std::string text;
    audit::append_json_string(text, input);
    boost::json::error_code error;
    require(boost::json::parse(text, error).is_string() && !error);
    return 0;
}
