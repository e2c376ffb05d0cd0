// SPDX-License-Identifier: Apache-2.0
// Placeholders are found at any cut, and none that stands there in plain is missed. The first byte is the length of the
// pieces.
#include "proxy/core/placeholder_search.hpp"
#include "proxy/core/basic.hpp"

#include <cstdlib>
#include <vector>

namespace {

using namespace aduana::proxy;

void require(bool holds)
{
    if (!holds)
        std::abort();
}

bool is_core(std::string_view text)
{
    if (text.size() != core_size || !text.starts_with(core_mark))
        return false;
    for (const char c : text.substr(core_mark.size())) {
        if (!((c >= 'A' && c <= 'Z') || (c >= '2' && c <= '7')))
            return false;
    }
    return true;
}

std::vector<std::string> found_in(std::string_view text, std::size_t piece)
{
    std::vector<std::string> found;
    PlaceholderSearch search;
    for (; !text.empty(); text.remove_prefix(std::min(piece, text.size())))
        search.feed(text.substr(0, piece), [&found](std::string_view core) {
            require(is_core(core));
            found.emplace_back(core);
        });
    return found;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size == 0)
        return 0;
    const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
    const auto found = found_in(text, text.size() + 1);
    require(found_in(text, 1 + data[0]) == found);
    require(found_in(text, 1) == found);
    std::size_t next = 0;
    for (std::size_t at = 0; at + core_size <= text.size(); ++at) {
        const auto here = text.substr(at, core_size);
        if (!is_core(here))
            continue;
        while (next < found.size() && found[next] != here)
            ++next;
        require(next < found.size());
    }
    if (const auto basic = read_basic(text)) {
        const auto colon = basic->find(':');
        const auto again =
            write_basic(std::string_view(*basic).substr(0, colon), std::string_view(*basic).substr(colon + 1));
        require(read_basic(again.reveal()) == basic);
    }
    return 0;
}
