// SPDX-License-Identifier: Apache-2.0
// Growing is done by hand, since std::string would free its old memory as it is.
#include "broker/mint/secret_writer.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace aduana::broker {
namespace {

bool is_letter_or_digit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

void append_escaped(std::string& out, char c)
{
    constexpr std::string_view digits = "0123456789ABCDEF";
    const auto byte = static_cast<std::uint8_t>(c);
    out += '%';
    out += digits[byte >> 4];
    out += digits[byte & 15];
}

constexpr std::string_view standard_alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view url_alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

// Up to three bytes become as many characters and one more.
void append_group(std::string& out, std::string_view bytes, std::string_view alphabet)
{
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i)
        group = group << 8 | (i < bytes.size() ? static_cast<std::uint8_t>(bytes[i]) : 0);
    for (std::size_t i = 0; i <= bytes.size(); ++i)
        out += alphabet[group >> (18 - 6 * i) & 63];
}

void append_base64(std::string& out, std::string_view bytes, std::string_view alphabet)
{
    for (; !bytes.empty(); bytes.remove_prefix(std::min<std::size_t>(3, bytes.size())))
        append_group(out, bytes.substr(0, 3), alphabet);
}

} // namespace

void SecretWriter::make_room(std::size_t more)
{
    const auto needed = text_.size() + more;
    if (needed <= text_.capacity())
        return;
    std::string grown;
    grown.reserve(std::max<std::size_t>(needed, 2 * text_.capacity()));
    grown = std::string_view(text_);
    wipe(text_);
    text_.swap(grown);
}

SecretWriter& SecretWriter::put(std::string_view text)
{
    make_room(text.size());
    text_ += text;
    return *this;
}

SecretWriter& SecretWriter::put_form(std::string_view text)
{
    make_room(3 * text.size());
    for (const char c : text) {
        if (is_letter_or_digit(c) || c == '-' || c == '.' || c == '_')
            text_ += c;
        else if (c == ' ')
            text_ += '+';
        else
            append_escaped(text_, c);
    }
    return *this;
}

SecretWriter& SecretWriter::put_percent(std::string_view text)
{
    make_room(3 * text.size());
    for (const char c : text) {
        if (is_letter_or_digit(c) || c == '-' || c == '.' || c == '_' || c == '~')
            text_ += c;
        else
            append_escaped(text_, c);
    }
    return *this;
}

SecretWriter& SecretWriter::put_base64(std::string_view bytes)
{
    make_room((bytes.size() + 2) / 3 * 4);
    append_base64(text_, bytes, standard_alphabet);
    text_.append((3 - bytes.size() % 3) % 3, '=');
    return *this;
}

SecretWriter& SecretWriter::put_base64url(std::string_view bytes)
{
    make_room((bytes.size() + 2) / 3 * 4);
    append_base64(text_, bytes, url_alphabet);
    return *this;
}

Secret SecretWriter::take()
{
    auto secret = Secret::copy_of(text_);
    wipe(text_);
    text_.clear();
    return secret;
}

Secret join(std::initializer_list<std::string_view> parts)
{
    SecretWriter writer;
    for (const auto part : parts)
        writer.put(part);
    return writer.take();
}

std::optional<Secret> from_base64url(std::string_view text)
{
    std::string bytes;
    bytes.reserve(text.size());
    std::uint32_t bits = 0;
    unsigned held = 0;
    bool sound = text.size() % 4 != 1;
    for (const char c : text) {
        const auto digit = url_alphabet.find(c);
        sound = sound && digit != url_alphabet.npos;
        bits = bits << 6 | static_cast<std::uint32_t>(digit & 63);
        held += 6;
        if (held >= 8) {
            held -= 8;
            bytes += static_cast<char>(bits >> held & 0xff);
        }
    }
    auto decoded = Secret::copy_of(bytes);
    wipe(bytes);
    return sound ? std::optional(std::move(decoded)) : std::nullopt;
}

std::string_view without_line_end(std::string_view value)
{
    if (value.ends_with("\r\n"))
        value.remove_suffix(2);
    else if (value.ends_with('\n'))
        value.remove_suffix(1);
    return value;
}

} // namespace aduana::broker
