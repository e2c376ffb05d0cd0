// SPDX-License-Identifier: Apache-2.0
// One JSON object on one line, appended to a string.
#include "audit/json_line.hpp"

#include "audit/time.hpp"
#include "certs/utf8.hpp"

#include <array>
#include <charconv>

namespace aduana::audit {
namespace {

bool is_plain(char c)
{
    return c >= ' ' && c < 0x7F && c != '"' && c != '\\';
}

void append_escape(std::string& out, unsigned unit)
{
    constexpr std::string_view digits = "0123456789abcdef";
    out += "\\u";
    for (const int shift : {12, 8, 4, 0})
        out += digits[unit >> shift & 15];
}

/// Appends the character at the front of `text`, which is not plain, and returns the bytes that it took.
std::size_t append_special(std::string& out, std::string_view text)
{
    if (text.front() == '"' || text.front() == '\\') {
        out += '\\';
        out += text.front();
        return 1;
    }
    const certs::CodePoint point = certs::first_code_point(text);
    if (!point.valid || point.value < 0xA0)
        append_escape(out, point.value);
    else
        out += text.substr(0, point.size);
    return point.size;
}

/// The longest front of `text` that ends between two characters and has at most `limit` bytes.
std::string_view cut(std::string_view text, std::size_t limit)
{
    if (text.size() <= limit)
        return text;
    std::size_t size = limit;
    while (size > 0 && limit - size < 3 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80)
        --size;
    return text.substr(0, size);
}

template <class Integer>
void append_integer(std::string& out, Integer value)
{
    std::array<char, 24> digits{};
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    out.append(digits.data(), end);
}

} // namespace

void append_json_string(std::string& out, std::string_view text, std::size_t limit)
{
    text = cut(text, limit);
    out += '"';
    while (!text.empty()) {
        std::size_t run = 0;
        while (run < text.size() && is_plain(text[run]))
            ++run;
        out += text.substr(0, run);
        text.remove_prefix(run);
        if (!text.empty())
            text.remove_prefix(append_special(out, text));
    }
    out += '"';
}

void JsonLine::begin_member(std::string_view name)
{
    out_ += first_ ? "\"" : ",\"";
    first_ = false;
    out_ += name;
    out_ += "\":";
}

JsonLine& JsonLine::text(std::string_view name, std::string_view value, std::size_t limit)
{
    begin_member(name);
    append_json_string(out_, value, limit);
    return *this;
}

JsonLine& JsonLine::optional_text(std::string_view name, std::string_view value)
{
    return value.empty() ? *this : text(name, value);
}

JsonLine& JsonLine::number(std::string_view name, std::uint64_t value)
{
    begin_member(name);
    append_integer(out_, value);
    return *this;
}

JsonLine& JsonLine::signed_number(std::string_view name, std::int64_t value)
{
    begin_member(name);
    append_integer(out_, value);
    return *this;
}

JsonLine& JsonLine::time(std::string_view name, Micros value)
{
    begin_member(name);
    out_ += '"';
    append_time(out_, value);
    out_ += '"';
    return *this;
}

JsonLine& JsonLine::list(std::string_view name, const std::vector<std::string>& values)
{
    begin_member(name);
    char before = '[';
    for (const std::string& value : values) {
        out_ += before;
        append_json_string(out_, value);
        before = ',';
    }
    out_ += values.empty() ? "[]" : "]";
    return *this;
}

JsonLine& JsonLine::object(std::string_view name, const std::vector<std::pair<std::string, std::string>>& members)
{
    begin_member(name);
    char before = '{';
    for (const auto& [key, value] : members) {
        out_ += before;
        append_json_string(out_, key);
        out_ += ':';
        append_json_string(out_, value);
        before = ',';
    }
    out_ += members.empty() ? "{}" : "}";
    return *this;
}

} // namespace aduana::audit
