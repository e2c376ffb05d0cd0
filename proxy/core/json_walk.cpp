// SPDX-License-Identifier: Apache-2.0
// A library says whether it is JSON; the walk relies on that.
#include "proxy/core/json_walk.hpp"

#include "proxy/core/json_member.hpp"

#include <boost/json/basic_parser_impl.hpp>

namespace aduana::proxy {

namespace {

constexpr std::size_t max_depth = 32;

/// Takes everything and keeps nothing: the text may hold secrets.
struct Forgetful {
    using error_code = boost::json::error_code;
    using text = boost::json::string_view;
    static constexpr auto max_object_size = static_cast<std::size_t>(-1);
    static constexpr auto max_array_size = static_cast<std::size_t>(-1);
    static constexpr auto max_key_size = static_cast<std::size_t>(-1);
    static constexpr auto max_string_size = static_cast<std::size_t>(-1);

    static bool on_document_begin(error_code&) { return true; }
    static bool on_document_end(error_code&) { return true; }
    static bool on_object_begin(error_code&) { return true; }
    static bool on_object_end(std::size_t, error_code&) { return true; }
    static bool on_array_begin(error_code&) { return true; }
    static bool on_array_end(std::size_t, error_code&) { return true; }
    static bool on_key_part(text, std::size_t, error_code&) { return true; }
    static bool on_key(text, std::size_t, error_code&) { return true; }
    static bool on_string_part(text, std::size_t, error_code&) { return true; }
    static bool on_string(text, std::size_t, error_code&) { return true; }
    static bool on_number_part(text, error_code&) { return true; }
    static bool on_int64(std::int64_t, text, error_code&) { return true; }
    static bool on_uint64(std::uint64_t, text, error_code&) { return true; }
    static bool on_double(double, text, error_code&) { return true; }
    static bool on_bool(bool, error_code&) { return true; }
    static bool on_null(error_code&) { return true; }
    static bool on_comment_part(text, error_code&) { return true; }
    static bool on_comment(text, error_code&) { return true; }
};

std::string folded(std::string_view name)
{
    constexpr std::string_view long_s = "\xc5\xbf";
    constexpr std::string_view kelvin = "\xe2\x84\xaa";
    std::string out;
    while (!name.empty()) {
        const auto rest = name;
        name.remove_prefix(1);
        if (rest.starts_with(long_s) || rest.starts_with(kelvin)) {
            const bool is_s = rest.starts_with(long_s);
            out.push_back(is_s ? 's' : 'k');
            name = rest.substr(is_s ? long_s.size() : kelvin.size());
        } else {
            const char c = rest.front();
            out.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
        }
    }
    return out;
}

} // namespace

bool is_json(std::string_view text)
{
    boost::json::parse_options options;
    options.max_depth = max_depth;
    boost::json::basic_parser<Forgetful> parser(options);
    boost::json::error_code error;
    const auto read = parser.write_some(false, text.data(), text.size(), error);
    // What follows the value is the caller's to judge: only blanks may.
    return !error && parser.done() && text.find_first_not_of(" \t\r\n", read) == std::string_view::npos;
}

std::string pointer_name(std::string_view segment)
{
    std::string name;
    for (std::size_t i = 0; i < segment.size(); ++i) {
        if (segment[i] != '~') {
            name.push_back(segment[i]);
            continue;
        }
        ++i;
        name.push_back(segment.substr(i, 1) == "1" ? '/' : '~');
    }
    return name;
}

Slot JsonWalk::string()
{
    const auto start = ++at_;
    while (text_[at_] != '"')
        at_ += text_[at_] == '\\' ? 2 : 1;
    return {start, at_++ - start};
}

Slot JsonWalk::word()
{
    const auto start = at_;
    at_ = std::min(text_.find_first_of(" \t\r\n,]}", at_), text_.size());
    return {start, at_ - start};
}

void JsonWalk::skip_value()
{
    std::size_t depth = 0;
    do {
        const char c = kind();
        if (c == '"') {
            string();
            continue;
        }
        if (c == '{' || c == '[')
            ++depth;
        else if (c == '}' || c == ']')
            --depth;
        if (c == '{' || c == '[' || c == '}' || c == ']' || c == ',' || c == ':')
            ++at_;
        else
            word();
    } while (depth != 0);
}

bool JsonWalk::enter_member(std::string_view name)
{
    std::size_t count = 0;
    std::size_t value = 0;
    for_each_member([&](std::string_view key) {
        if (json_unescaped(key) == name && ++count == 1)
            value = at_;
        skip_value();
    });
    if (count == 1)
        at_ = value;
    return count == 1;
}

bool JsonWalk::has_member_like(std::string_view name) const
{
    const auto wanted = folded(name);
    bool found = false;
    JsonWalk walk(*this);
    walk.for_each_member([&](std::string_view key) {
        const auto other = json_unescaped(key);
        found = found || (other != name && folded(other) == wanted);
        walk.skip_value();
    });
    return found;
}

bool JsonWalk::has_name_with_nul() const
{
    bool found = false;
    JsonWalk walk(*this);
    walk.for_each_member([&](std::string_view key) {
        found = found || json_unescaped(key).find('\0') != std::string::npos;
        walk.skip_value();
    });
    return found;
}

bool JsonWalk::enter_element(std::string_view index)
{
    ++at_;
    for (std::size_t i = 0; kind() != ']'; ++i) {
        if (std::to_string(i) == index)
            return true;
        skip_value();
        skip_comma();
    }
    return false;
}

} // namespace aduana::proxy
