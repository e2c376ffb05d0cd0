// SPDX-License-Identifier: Apache-2.0
// Path, query and fields in their canonical spelling.
#include "broker/sign/canonical.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

namespace aduana::broker {
namespace {

bool is_unreserved(char byte)
{
    return (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') ||
           byte == '-' || byte == '.' || byte == '_' || byte == '~';
}

void append_encoded(std::string& out, char byte)
{
    constexpr std::string_view digits = "0123456789ABCDEF";
    if (is_unreserved(byte)) {
        out += byte;
        return;
    }
    const auto value = static_cast<unsigned char>(byte);
    out += '%';
    out += digits[value >> 4];
    out += digits[value & 15];
}

std::optional<int> nibble(char digit)
{
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    if (digit >= 'a' && digit <= 'f')
        return digit - 'a' + 10;
    if (digit >= 'A' && digit <= 'F')
        return digit - 'A' + 10;
    return std::nullopt;
}

/// A "%" that begins no triplet stands for itself.
std::string decoded(std::string_view text, char plus)
{
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const auto high = text[at] == '%' && at + 2 < text.size() ? nibble(text[at + 1]) : std::nullopt;
        const auto low = high ? nibble(text[at + 2]) : std::nullopt;
        if (high && low) {
            out += static_cast<char>(*high * 16 + *low);
            at += 2;
        } else {
            out += text[at] == '+' ? plus : text[at];
        }
    }
    return out;
}

std::vector<std::string_view> split(std::string_view text, char separator)
{
    std::vector<std::string_view> parts;
    for (;;) {
        const auto end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == text.npos)
            return parts;
        text.remove_prefix(end + 1);
    }
}

std::string canonical_path(std::string_view path, PathForm form)
{
    std::vector<std::string> segments;
    auto parts = split(path, '/');
    parts.erase(parts.begin());
    const bool open = !parts.empty() && (parts.back().empty() || parts.back() == "." || parts.back() == "..");
    for (const auto part : parts) {
        if (form == PathForm::as_sent) {
            segments.push_back(percent_encoded(decoded(part, '+')));
        } else if (part == "..") {
            if (!segments.empty())
                segments.pop_back();
        } else if (!part.empty() && part != ".") {
            segments.push_back(percent_encoded(part));
        }
    }
    std::string out;
    for (const auto& segment : segments)
        out += '/' + segment;
    return out.empty() || (form == PathForm::normalized && open) ? out + '/' : out;
}

std::string canonical_query(std::string_view query)
{
    std::vector<std::pair<std::string, std::string>> pairs;
    for (const auto part : split(query, '&')) {
        if (part.empty())
            continue;
        const auto equals = part.find('=');
        const auto value = equals == part.npos ? std::string_view() : part.substr(equals + 1);
        pairs.emplace_back(percent_encoded(decoded(part.substr(0, equals), ' ')), percent_encoded(decoded(value, ' ')));
    }
    std::ranges::sort(pairs);
    std::string out;
    for (const auto& [name, value] : pairs) {
        if (!out.empty())
            out += '&';
        out.append(name).append(1, '=').append(value);
    }
    return out;
}

std::string folded(std::string_view value)
{
    std::string out;
    bool blank = false;
    for (const char byte : value) {
        if (byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n') {
            blank = !out.empty();
            continue;
        }
        if (blank)
            out += ' ';
        blank = false;
        out += byte;
    }
    return out;
}

std::string lower_case(std::string_view text)
{
    std::string out(text);
    std::ranges::transform(out, out.begin(), [](char byte) {
        return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte - 'A' + 'a') : byte;
    });
    return out;
}

/// By name, in order.
std::map<std::string, std::string> canonical_fields(const std::vector<CoveredField>& fields)
{
    std::map<std::string, std::string> lines;
    for (const auto& field : fields) {
        const auto [line, is_new] = lines.try_emplace(lower_case(field.name), folded(field.value));
        if (!is_new)
            line->second.append(1, ',').append(folded(field.value));
    }
    return lines;
}

} // namespace

PathForm path_form_of(std::string_view service) noexcept
{
    constexpr std::array<std::string_view, 4> storage{"s3", "s3express", "s3-object-lambda", "s3-outposts"};
    return std::ranges::find(storage, service) == storage.end() ? PathForm::normalized : PathForm::as_sent;
}

std::string percent_encoded(std::string_view bytes)
{
    std::string out;
    out.reserve(bytes.size());
    for (const char byte : bytes)
        append_encoded(out, byte);
    return out;
}

Canonical canonical_request(const AwsRequest& request, PathForm form)
{
    Canonical out;
    std::string lines;
    for (const auto& [name, value] : canonical_fields(request.fields)) {
        lines.append(name).append(1, ':').append(value).append(1, '\n');
        if (!out.names.empty())
            out.names += ';';
        out.names += name;
    }
    out.text.append(request.method).append(1, '\n');
    out.text.append(canonical_path(request.path, form)).append(1, '\n');
    out.text.append(canonical_query(request.query)).append(1, '\n');
    out.text.append(lines).append(1, '\n').append(out.names).append(1, '\n').append(request.payload);
    return out;
}

} // namespace aduana::broker
