// SPDX-License-Identifier: Apache-2.0
// One function for each family of encodings.
#include "proxy/core/spellings.hpp"

#include "policy/base/secret.hpp"
#include "proxy/core/unescaped.hpp"

#include <algorithm>
#include <array>

namespace aduana::proxy {

namespace {

constexpr std::string_view base64_alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view base64url_alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::string_view digits_lower = "0123456789abcdef";
constexpr std::string_view digits_upper = "0123456789ABCDEF";
constexpr std::size_t shortest = 6; ///< of a spelling: what is shorter stands in every text
constexpr std::size_t most = 128;   ///< spellings of one value: moving short ones would leave copies behind

bool is_alphanumeric(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/// Gathers spellings of one value, and wipes what it does not hand out.
class Speller {
public:
    explicit Speller(std::string_view value) : value_(value) { out_.reserve(most); }

    void add(std::string bytes, bool wraps = false)
    {
        const bool known = std::any_of(out_.begin(), out_.end(), [&](const auto& it) { return it.bytes == bytes; });
        if (known || bytes.size() < shortest)
            return wipe(bytes);
        out_.push_back({std::move(bytes), value_.size(), wraps});
    }

    /// The spelling that puts `write(byte)` for each byte of the value.
    template <class Write>
    void add_bytewise(Write write)
    {
        std::string bytes;
        bytes.reserve(value_.size() * 6); // the longest of them: it never grows, and so leaves no copy behind
        for (const char c : value_)
            write(bytes, c);
        add(std::move(bytes));
    }

    [[nodiscard]] std::string_view value() const { return value_; }
    [[nodiscard]] std::vector<Spelling> take() { return std::move(out_); }

private:
    std::string_view value_;
    std::vector<Spelling> out_;
};

void append_hex(std::string& out, char c, std::string_view digits)
{
    const auto byte = static_cast<unsigned char>(c);
    out.push_back(digits[byte >> 4]);
    out.push_back(digits[byte & 15]);
}

/// The base64 characters that `value` determines alone when `before` bytes (0, 1 or 2) of something else come first.
std::string base64(std::string_view value, std::size_t before, std::string_view alphabet)
{
    const std::size_t end_bit = (before + value.size()) * 8;
    std::string out;
    out.reserve(value.size() * 4 / 3 + 1);
    for (std::size_t bit = (before * 8 + 5) / 6 * 6; bit + 6 <= end_bit; bit += 6) {
        const std::size_t at = bit / 8 - before;
        const auto high = static_cast<unsigned char>(value[at]);
        const auto low = static_cast<unsigned char>(at + 1 < value.size() ? value[at + 1] : 0);
        out.push_back(alphabet[((high << 8 | low) >> (10 - bit % 8)) & 0x3f]);
    }
    return out;
}

void add_plain(Speller& to)
{
    const auto value = to.value();
    to.add(std::string(value));
    std::string other(value);
    for (char& c : other)
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    to.add(std::move(other));
    other.assign(value);
    for (char& c : other)
        c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    to.add(std::move(other));
    to.add({value.rbegin(), value.rend()});
}

/// A secret may hold what looks like an escape, and whoever escapes some of its bytes may leave that as it is: undoing
/// the one undoes the other.
void add_unescaped(Speller& to)
{
    const auto once = Unescaped::of(to.value(), Unescaped::End::final);
    if (!once)
        return;
    to.add(std::string(once->text()));
    if (const auto twice = once->again(Unescaped::End::final))
        to.add(std::string(twice->text()));
}

/// "+" and "/" would mean something else in a query.
std::string without_plus_and_slash(std::string_view encoded, std::string_view plus, std::string_view slash)
{
    std::string out;
    out.reserve(encoded.size() * 3);
    for (const char c : encoded) {
        if (c == '+')
            out.append(plus);
        else if (c == '/')
            out.append(slash);
        else
            out.push_back(c);
    }
    return out;
}

void add_base64(Speller& to)
{
    for (const std::size_t before : {0U, 1U, 2U}) {
        auto once = base64(to.value(), before, base64_alphabet);
        auto url = base64(to.value(), before, base64url_alphabet);
        for (const std::size_t outer : {0U, 1U, 2U}) {
            for (const auto& inner : {std::string_view(once), std::string_view(url)}) {
                to.add(base64(inner, outer, base64_alphabet), true);
                to.add(base64(inner, outer, base64url_alphabet));
            }
        }
        to.add(without_plus_and_slash(once, "%2B", "%2F"));
        to.add(without_plus_and_slash(once, "%2b", "%2f"));
        wipe(once);
        to.add(std::move(url));
    }
}

/// First, so that what is wrapped is known to be.
void add_wrapped(Speller& to)
{
    for (const std::size_t before : {0U, 1U, 2U})
        to.add(base64(to.value(), before, base64_alphabet), true);
    for (const auto digits : {digits_lower, digits_upper}) {
        std::string hex;
        hex.reserve(to.value().size() * 2);
        for (const char c : to.value())
            append_hex(hex, c, digits);
        to.add(std::move(hex), true);
    }
}

/// As in dumps and in the signatures that Amazon's servers explain: bytes with something between them.
void add_hex(Speller& to)
{
    for (const auto digits : {digits_lower, digits_upper}) {
        for (const char between : {' ', ':'}) {
            to.add_bytewise([&](std::string& out, char c) {
                if (!out.empty())
                    out.push_back(between);
                append_hex(out, c, digits);
            });
        }
    }
}

/// RFC 3986 lets alone "-._~"; encodeURIComponent, encodeURI and forms draw the line elsewhere.
void add_percent(Speller& to)
{
    constexpr std::array<std::string_view, 4> kept{"-._~", "-._~!*'()", "-._~!*'();/?:@&=+$,#", "-._*"};
    for (const auto digits : {digits_lower, digits_upper}) {
        for (const auto others : kept) {
            to.add_bytewise([&](std::string& out, char c) {
                if (is_alphanumeric(c) || others.find(c) != others.npos)
                    return out.push_back(c);
                if (c == ' ' && others == kept.back())
                    return out.push_back('+');
                out.push_back('%');
                append_hex(out, c, digits);
            });
        }
        to.add_bytewise([&](std::string& out, char c) {
            out.push_back('%');
            append_hex(out, c, digits);
        });
    }
}

void append_json(std::string& out, char c, bool by_number, std::string_view digits)
{
    if (by_number || static_cast<unsigned char>(c) < 0x20) {
        out.append("\\u00");
        return append_hex(out, c, digits);
    }
    out.push_back('\\');
    out.push_back(c);
}

/// Quotes and backslashes must be escaped; many also escape the slash, or what HTML would take for its own.
void add_json(Speller& to)
{
    constexpr std::array<std::string_view, 4> by_number{"", "<>&", "<>&'+", "<>&'+\"\\/"};
    for (const auto digits : {digits_lower, digits_upper}) {
        for (const auto numbered : by_number) {
            for (const std::string_view escaped : {"\"\\", "\"\\/"}) {
                to.add_bytewise([&](std::string& out, char c) {
                    const bool number = numbered.find(c) != numbered.npos;
                    if (number || escaped.find(c) != escaped.npos || static_cast<unsigned char>(c) < 0x20)
                        return append_json(out, c, number, digits);
                    out.push_back(c);
                });
            }
        }
        to.add_bytewise([&](std::string& out, char c) { append_json(out, c, true, digits); });
    }
}

/// `quote` and `apostrophe` have no one spelling.
void append_entity(std::string& out, char c, std::string_view quote, std::string_view apostrophe)
{
    switch (c) {
    case '&':
        out.append("&amp;");
        break;
    case '<':
        out.append("&lt;");
        break;
    case '>':
        out.append("&gt;");
        break;
    case '"':
        out.append(quote);
        break;
    case '\'':
        out.append(apostrophe);
        break;
    default:
        out.push_back(c);
    }
}

void add_html(Speller& to)
{
    for (const std::string_view quote : {"\"", "&quot;", "&#34;"}) {
        for (const std::string_view apostrophe : {"'", "&#39;", "&apos;", "&#x27;"})
            to.add_bytewise([&](std::string& out, char c) { append_entity(out, c, quote, apostrophe); });
    }
    to.add_bytewise([](std::string& out, char c) {
        out.append("&#").append(std::to_string(static_cast<unsigned char>(c))).push_back(';');
    });
    for (const auto digits : {digits_lower, digits_upper}) {
        to.add_bytewise([&](std::string& out, char c) {
            out.append("&#x");
            append_hex(out, c, digits);
            out.push_back(';');
        });
    }
}

void add_utf16(Speller& to)
{
    to.add_bytewise([](std::string& out, char c) { out.append({c, '\0'}); });
    to.add_bytewise([](std::string& out, char c) { out.append({'\0', c}); });
}

} // namespace

std::vector<Spelling> spellings_of(std::string_view value)
{
    Speller speller(value);
    if (value.size() < min_scrubbed)
        return {};
    add_plain(speller);
    add_unescaped(speller);
    add_wrapped(speller);
    add_base64(speller);
    add_hex(speller);
    add_percent(speller);
    add_json(speller);
    add_html(speller);
    add_utf16(speller);
    return speller.take();
}

} // namespace aduana::proxy
