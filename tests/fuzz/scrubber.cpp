// SPDX-License-Identifier: Apache-2.0
// The scrubber against a search that is too simple to be wrong, at any cut. Input: the number of values, the length of
// the pieces, the values (length, bytes), then the text, in which bytes of 0xF0 and more stand for spellings.
#include "tests/support/naive_scrub.hpp"

#include <cstdlib>

namespace {

using namespace aduana;
using namespace aduana::proxy;

void require(bool holds)
{
    if (!holds)
        std::abort();
}

std::string_view take(std::string_view& bytes, std::size_t count)
{
    const auto taken = bytes.substr(0, count);
    bytes.remove_prefix(taken.size());
    return taken;
}

std::size_t take_byte(std::string_view& bytes)
{
    return bytes.empty() ? 0 : static_cast<unsigned char>(take(bytes, 1).front());
}

/// No fuzzer guesses base64: each 0xF0 and its next byte become a spelling, whole, cut off, or in lines.
std::string with_spellings(std::string_view input, const std::vector<Spelling>& spellings)
{
    std::string text;
    while (!input.empty()) {
        const char c = take(input, 1).front();
        if (static_cast<unsigned char>(c) < 0xf0 || spellings.empty()) {
            text.push_back(c);
            continue;
        }
        const auto& bytes = spellings[take_byte(input) % spellings.size()].bytes;
        const auto kind = static_cast<unsigned char>(c) & 3U;
        const auto cut = kind == 0 ? bytes.size() : take_byte(input) % (bytes.size() + 1);
        if (kind >= 2)
            text.append(60, 'A');
        text.append(bytes, 0, cut);
        if (kind >= 2)
            text.append(kind == 2 ? "\n" : "\r\n").append(bytes, cut);
    }
    return text;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    std::string_view input(reinterpret_cast<const char*>(data), size);
    const auto count = take_byte(input) % 5;
    const auto piece_size = 1 + take_byte(input);
    std::vector<Secret> values;
    std::vector<Spelling> spellings;
    for (std::size_t i = 0; i < count; ++i) {
        const auto value = take(input, take_byte(input) % 24);
        if (value.empty())
            continue;
        values.push_back(Secret::copy_of(value));
        for (auto& spelling : spellings_of(value))
            spellings.push_back(std::move(spelling));
    }
    std::vector<const Secret*> pointers;
    for (const auto& value : values)
        pointers.push_back(&value);

    const auto set = ScrubSet::of(pointers);
    const auto text = with_spellings(input, spellings);
    const auto expected = test::replace_naively(text, spellings);
    std::string whole;
    set.scrub(text, whole);
    require(whole == expected);
    Scrubber scrubber(set);
    std::string cut;
    for (std::string_view rest = text; !rest.empty();) {
        scrubber.feed(take(rest, piece_size), cut);
        require(expected.starts_with(cut));
    }
    scrubber.finish(cut);
    require(cut == expected);
    return 0;
}
