// SPDX-License-Identifier: Apache-2.0
// A library says whether it is JSON; then a walk that may rely on that says where the value stands.
#include "proxy/core/json_member.hpp"

#include <boost/json.hpp>

#include <optional>

namespace aduana::proxy {

namespace {

constexpr std::size_t max_depth = 32;

Failure misplaced(std::string detail)
{
    return {policy::Reason::credential_misplaced, Party::client, std::move(detail)};
}

bool is_json(std::string_view text)
{
    boost::json::parse_options options;
    options.max_depth = max_depth;
    boost::json::error_code error;
    const auto document = boost::json::parse(boost::json::string_view(text.data(), text.size()), error, {}, options);
    return !error;
}

/// "~1" is a slash and "~0" a tilde.
std::string name_of(std::string_view token)
{
    std::string name;
    for (std::size_t i = 0; i < token.size(); ++i) {
        if (token[i] != '~') {
            name.push_back(token[i]);
            continue;
        }
        ++i;
        name.push_back(token.substr(i, 1) == "1" ? '/' : '~');
    }
    return name;
}

/// Walks a text that is JSON.
class Walk {
public:
    explicit Walk(std::string_view text) : text_(text) {}

    /// At the value that follows.
    char kind()
    {
        skip_blanks();
        return at_ < text_.size() ? text_[at_] : '\0';
    }

    /// The bytes between the quotes of the string that is next.
    Slot string()
    {
        const auto start = ++at_;
        while (text_[at_] != '"')
            at_ += text_[at_] == '\\' ? 2 : 1;
        return {start, at_++ - start};
    }

    void skip_value()
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
                skip_word();
        } while (depth != 0);
    }

    /// Goes to the value of the one member of this name; false if there is none, or more than one.
    bool enter_member(std::string_view name)
    {
        std::optional<std::size_t> found;
        for (++at_; kind() != '}';) {
            const auto key = string();
            kind();
            ++at_; // the colon
            if (json_unescaped(text_.substr(key.start, key.size)) == name) {
                if (found)
                    return false;
                kind();
                found = at_;
            }
            skip_value();
            if (kind() == ',') {
                ++at_;
                kind();
            }
        }
        at_ = found.value_or(at_);
        return found.has_value();
    }

    bool enter_element(std::string_view index)
    {
        ++at_;
        for (std::size_t i = 0; kind() != ']'; ++i) {
            if (std::to_string(i) == index)
                return true;
            skip_value();
            if (kind() == ',')
                ++at_;
        }
        return false;
    }

private:
    void skip_blanks() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }
    /// A number, true, false or null.
    void skip_word() { at_ = std::min(text_.find_first_of(" \t\r\n,]}", at_), text_.size()); }

    std::string_view text_;
    std::size_t at_ = 0;
};

} // namespace

std::string json_unescaped(std::string_view raw)
{
    boost::json::error_code error;
    const auto value = boost::json::parse("\"" + std::string(raw) + "\"", error);
    return !error && value.is_string() ? std::string(value.get_string().c_str(), value.get_string().size())
                                       : std::string();
}

Outcome<Slot> find_json_string(std::string_view text, std::string_view pointer)
{
    if (!is_json(text))
        return misplaced("its body is not JSON, or nested deeper than 32 levels");
    Walk walk(text);
    for (auto rest = pointer; !rest.empty();) {
        const auto token = rest.substr(1, rest.find('/', 1) - 1);
        rest.remove_prefix(token.size() + 1);
        const char kind = walk.kind();
        const bool entered =
            (kind == '{' && walk.enter_member(name_of(token))) || (kind == '[' && walk.enter_element(token));
        if (!entered)
            return misplaced("its JSON must have " + std::string(pointer) + " exactly once");
    }
    if (walk.kind() != '"')
        return misplaced("its JSON must have a string at " + std::string(pointer));
    return walk.string();
}

} // namespace aduana::proxy
