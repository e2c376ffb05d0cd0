// SPDX-License-Identifier: Apache-2.0
// The scrubber against a search that is too simple to be wrong, at any cut. Input: the number of values, the length of
// the pieces, the values (length, bytes), then the text.
#include "proxy/core/scrub.hpp"

#include <algorithm>
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

/// The base64 characters that `value` alone determines behind `before` other bytes.
std::string base64(std::string_view value, std::size_t before, std::string_view last_two)
{
    const std::string alphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + std::string(last_two);
    std::string bits;
    for (const char c : value) {
        for (int bit = 7; bit >= 0; --bit)
            bits.push_back(static_cast<char>(static_cast<unsigned char>(c) >> bit & 1));
    }
    std::string out;
    for (std::size_t at = (6 - before * 8 % 6) % 6; at + 6 <= bits.size(); at += 6) {
        unsigned group = 0;
        for (std::size_t i = 0; i < 6; ++i)
            group = group << 1 | static_cast<unsigned>(bits[at + i]);
        out.push_back(alphabet[group]);
    }
    return out;
}

std::string replace_naively(std::string_view text, const std::vector<std::string>& patterns)
{
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t longest = 0;
        for (const auto& pattern : patterns) {
            if (text.substr(at).starts_with(pattern))
                longest = std::max(longest, pattern.size());
        }
        if (longest == 0)
            out.push_back(text[at++]);
        else
            out.append(scrubbed_text);
        at += longest;
    }
    return out;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    std::string_view input(reinterpret_cast<const char*>(data), size);
    const auto count = take_byte(input) % 5;
    const auto piece_size = 1 + take_byte(input);
    std::vector<Secret> values;
    std::vector<std::string> patterns;
    for (std::size_t i = 0; i < count; ++i) {
        const auto value = take(input, take_byte(input) % 24);
        if (value.empty())
            continue;
        values.push_back(Secret::copy_of(value));
        if (value.size() < 8)
            continue;
        patterns.emplace_back(value);
        for (std::size_t before = 0; before < 3; ++before) {
            patterns.push_back(base64(value, before, "+/"));
            patterns.push_back(base64(value, before, "-_"));
        }
    }
    std::vector<const Secret*> pointers;
    for (const auto& value : values)
        pointers.push_back(&value);

    const auto set = ScrubSet::of(pointers);
    const auto expected = replace_naively(input, patterns);
    std::string whole;
    set.scrub(input, whole);
    require(whole == expected);
    Scrubber scrubber(set);
    std::string cut;
    for (auto rest = input; !rest.empty();) {
        scrubber.feed(take(rest, piece_size), cut);
        require(expected.starts_with(cut));
    }
    scrubber.finish(cut);
    require(cut == expected);
    return 0;
}
