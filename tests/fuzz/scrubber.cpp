// SPDX-License-Identifier: Apache-2.0
// The scrubber against a search that is too simple to be wrong, at any cut, under any content coding. Input:
//
//   secrets   1 byte: which of the invented ones; 0xf0 and more: count, and each (length, bytes)
//   coding    1 byte: see Coded
//   cuts      count, and so many bytes: the lengths of pieces, over and over again
//   text      the rest, in which bytes of 0xf0 and more stand for spellings
#include "proxy/core/body_filter.hpp"
#include "tests/support/coded.hpp"
#include "tests/support/naive_scrub.hpp"

#include <array>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>

namespace {

using namespace aduana;
using namespace aduana::proxy;

constexpr std::size_t longest_text = 768; ///< about: where it stops to grow
constexpr std::size_t most_cuts = 400;    ///< beyond them, pieces are longer
constexpr std::size_t inventions = 50;

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

/// What is built of secrets costs more than all the rest of an input.
struct Known {
    explicit Known(const std::vector<std::string>& texts) : spellings(test::all_spellings(texts))
    {
        std::vector<const Secret*> pointers;
        for (const auto& text : texts)
            values.push_back(Secret::copy_of(text));
        for (const auto& value : values)
            pointers.push_back(&value);
        set = ScrubSet::of(pointers);
    }

    std::vector<Spelling> spellings;
    std::vector<Secret> values{};
    ScrubSet set{};
};

/// Up to three, of few different characters: they repeat themselves, begin like each other, look like escapes, or like
/// what stands around them.
std::vector<std::string> invented(std::size_t number)
{
    constexpr std::array<std::string_view, 10> alphabets{
        "ab",
        "aB",
        "0123456789abcdef",
        "A4=",
        "%41u0",
        "\\u0041\"/n",
        "&#x;61am&",
        "[scrubed]",
        "tok_9fK2?>~mQx7-",
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    };
    const auto alphabet = alphabets[number % alphabets.size()];
    std::mt19937 random(static_cast<unsigned>(number));
    std::vector<std::string> values;
    for (std::size_t count = 1 + random() % 3; count > 0; --count) {
        const bool goes_on = !values.empty() && random() % 2 == 0;
        auto& value = values.emplace_back(goes_on ? values.back() : std::string());
        for (auto size = min_scrubbed + random() % 16; size > 0; --size)
            value.push_back(alphabet[random() % alphabet.size()]);
    }
    return values;
}

const Known& take_secrets(std::string_view& input)
{
    constexpr std::size_t first_of_its_own = 0xf0;
    static std::map<std::size_t, std::unique_ptr<const Known>> of_numbers;
    static std::map<std::vector<std::string>, std::unique_ptr<const Known>> others;
    auto number = take_byte(input);
    if (number < first_of_its_own) {
        number %= inventions;
        auto& known = of_numbers[number];
        if (!known)
            known = std::make_unique<const Known>(invented(number));
        return *known;
    }
    std::vector<std::string> values;
    for (auto count = take_byte(input) % 5; count > 0; --count) {
        const auto value = take(input, take_byte(input) % 24);
        if (!value.empty())
            values.emplace_back(value);
    }
    if (others.size() >= 32)
        others.clear();
    auto& known = others[values];
    if (!known)
        known = std::make_unique<const Known>(values);
    return *known;
}

std::string escaped(char c, std::size_t way)
{
    constexpr std::string_view digits = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    const std::string hex{digits[byte >> 4], digits[byte & 15]};
    return way == 1 ? "%" + hex : way == 2 ? "\\u00" + hex : "&#x" + hex + ";";
}

/// `which`: a bit for each byte, of eight.
void append(std::string& text, std::string_view bytes, std::size_t way, std::size_t which)
{
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        if ((which >> i % 8 & 1U) != 0)
            text.append(escaped(bytes[i], way));
        else
            text.push_back(bytes[i]);
    }
}

/// No fuzzer guesses base64: each byte of 0xf0 and more becomes a spelling, whole, cut off, or in lines, with some of
/// its bytes escaped.
std::string with_spellings(std::string_view input, const std::vector<Spelling>& spellings)
{
    std::string text;
    while (!input.empty() && text.size() < longest_text) {
        const char c = take(input, 1).front();
        const auto what = static_cast<unsigned char>(c);
        if (what < 0xf0 || spellings.empty()) {
            text.push_back(c);
            continue;
        }
        const auto& bytes = spellings[take_byte(input) % spellings.size()].bytes;
        const std::size_t kind = what & 3U;
        const std::size_t way = what >> 2 & 3U;
        const auto cut = kind == 0 ? bytes.size() : take_byte(input) % (bytes.size() + 1);
        const auto which = way == 0 ? 0 : take_byte(input);
        const std::string_view line_end = kind == 2 ? "\n  " : "\r\n";
        if (kind >= 2)
            text.append(60, 'A');
        append(text, std::string_view(bytes).substr(0, cut), way, which);
        if (kind >= 2)
            append(text.append(line_end), std::string_view(bytes).substr(cut), way, which);
    }
    return text;
}

struct Piece {
    std::string_view bytes;
    BodyFilter::Last last = BodyFilter::Last::no;
};

/// Some may be empty.
class Cuts {
public:
    explicit Cuts(std::string_view lengths) : lengths_(lengths) {}

    [[nodiscard]] std::vector<Piece> of(std::string_view bytes) const
    {
        std::vector<Piece> pieces;
        while (!bytes.empty())
            pieces.push_back({take(bytes, length(pieces.size()))});
        pieces.push_back({{}, BodyFilter::Last::yes});
        return pieces;
    }

private:
    [[nodiscard]] std::size_t length(std::size_t piece) const
    {
        if (lengths_.empty())
            return longest_text;
        const std::size_t least = piece < most_cuts ? piece % 2 : 64; // zeros alone would never end
        const auto one = static_cast<unsigned char>(lengths_[piece % lengths_.size()]);
        return std::max<std::size_t>(least, one < 0x80 ? one : (one - 0x7fU) * 16);
    }

    std::string_view lengths_;
};

/// By the three low bits; two codings by the bits above them: where both are declared the body is refused, and where
/// only the outer one is, what is inside is searched as it is.
struct Coded {
    Coded(std::size_t byte, std::string text) : plain(std::move(text))
    {
        constexpr std::size_t bare = 6;
        constexpr std::size_t stacked = 7;
        const auto which = byte & 7U;
        if (which == stacked) {
            outer = test::real_codings[byte >> 5 & 3U];
            const auto inner = test::real_codings[byte >> 3 & 3U];
            require_refused(inner);
            plain = test::coded(plain, inner);
        } else if (which >= 2 && which != bare) {
            outer = test::real_codings[which - 2];
        }
        body = test::coded(plain, outer);
        if (which == bare) {
            outer = ContentCoding::deflate;
            body = test::deflated(plain, test::bare_bits);
        }
    }

    std::string plain;
    std::string body{};
    ContentCoding outer = ContentCoding::identity;

private:
    void require_refused(ContentCoding inner) const
    {
        constexpr std::array<std::string_view, 5> names{"identity", "gzip", "deflate", "br", "zstd"};
        const auto both = std::string(names[static_cast<std::size_t>(inner)]) + ", " +
                          std::string(names[static_cast<std::size_t>(outer)]);
        Fields fields;
        fields.add("Content-Encoding", both);
        require(!content_coding(fields));
    }
};

/// What has come out is checked against what must come out.
class Output {
public:
    explicit Output(std::string_view expected) : expected_(expected) {}

    void add(std::string& bytes)
    {
        require(expected_.starts_with(bytes));
        expected_.remove_prefix(bytes.size());
        bytes.clear();
    }
    [[nodiscard]] bool complete() const { return expected_.empty(); }

private:
    std::string_view expected_;
};

void scrub(const Known& known, const std::vector<Piece>& pieces, Output expected)
{
    Scrubber scrubber(known.set);
    std::string out;
    for (const auto& piece : pieces) {
        scrubber.feed(piece.bytes, out);
        expected.add(out);
    }
    scrubber.finish(out);
    expected.add(out);
    require(expected.complete());
}

void filter(const Known& known, ContentCoding coding, const std::vector<Piece>& pieces, Output expected)
{
    BodyFilter filter(coding, known.set);
    std::string out;
    for (auto [bytes, last] : pieces) {
        auto state = BodyFilter::State::again;
        while (state == BodyFilter::State::again) {
            state = filter.next(bytes, last, out);
            expected.add(out);
        }
        require(state == BodyFilter::State::fed && bytes.empty());
    }
    require(expected.complete());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    std::string_view input(reinterpret_cast<const char*>(data), size);
    const auto& known = take_secrets(input);
    const auto coding = take_byte(input);
    const Cuts cuts(take(input, take_byte(input) % 32));
    const Coded coded(coding, with_spellings(input, known.spellings));

    const auto expected = test::replace_naively(coded.plain, known.spellings);
    std::string whole;
    known.set.scrub(coded.plain, whole);
    require(whole == expected);
    scrub(known, cuts.of(coded.plain), Output(expected));
    if (coded.outer != ContentCoding::identity)
        filter(known, coded.outer, cuts.of(coded.body), Output(expected));
    return 0;
}
