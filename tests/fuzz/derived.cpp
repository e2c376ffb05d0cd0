// SPDX-License-Identifier: Apache-2.0
// Credentials in the JSON of an answer: a reader that knows nothing of how they were found finds a placeholder in place
// of each, the same document else, and every other byte is the server's.
#include "proxy/core/derived.hpp"

#include <boost/json.hpp>

#include <cstdlib>

namespace {

using namespace aduana;
using namespace aduana::proxy;
namespace json = boost::json;

constexpr std::string_view placeholder = "EGP_ABCDEFGHIJKLMNOPQRSTUVWXYZ";

void require(bool holds)
{
    if (!holds)
        std::abort();
}

std::string lower(std::string_view text)
{
    std::string out(text);
    for (char& c : out)
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return out;
}

/// At "/token" and "/objects/*/header/Authorization" there is a placeholder, nothing, or null.
void require_taken(const json::value& value)
{
    require(value.is_null() ||
            (value.is_string() && (value.get_string().empty() || value.get_string() == placeholder)));
}

void check_header(const json::value& object)
{
    const auto* const members = object.if_object();
    for (const auto& [name, value] : members ? *members : json::object()) {
        const auto* const header = lower(name) == "header" ? value.if_object() : nullptr;
        for (const auto& [field, sent] : header ? *header : json::object()) {
            if (lower(field) == "authorization")
                require_taken(sent);
        }
    }
}

void check_objects(const json::value& value)
{
    if (const auto* const array = value.if_array()) {
        for (const auto& element : *array)
            check_header(element);
    } else if (const auto* const object = value.if_object()) {
        for (const auto& member : *object)
            check_header(member.value());
    }
}

void check_taken(const json::value& document)
{
    const auto* const root = document.if_object();
    for (const auto& [name, value] : root ? *root : json::object()) {
        if (lower(name) == "token")
            require_taken(value);
        if (lower(name) == "objects")
            check_objects(value);
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    policy::CaptureRule rule;
    rule.members = {"/token", "/objects/*/header/Authorization"};
    const std::vector<const policy::CaptureRule*> rules{&rule};
    const auto derived = find_derived(text, rules);
    json::error_code error;
    json::parse(json::string_view(text.data(), text.size()), error);
    if (!derived) {
        require(derived.error().reason == policy::Reason::response_uncapturable);
        return 0;
    }
    require(!error);
    std::size_t end = 0;
    std::string expected;
    for (const auto& one : *derived) {
        require(one.slot.start > end && text[one.slot.start - 1] == '"' && text[one.slot.start + one.slot.size] == '"');
        require(one.value.size() >= 8 && one.rule == &rule);
        expected.append(text.substr(end, one.slot.start - end)).append(placeholder);
        end = one.slot.start + one.slot.size;
    }
    expected.append(text.substr(end));
    const auto out = with_placeholders(text, *derived,
                                       [](const Derived&) -> Outcome<std::string> { return std::string(placeholder); });
    require(out && *out == expected);
    const auto document = json::parse(*out, error);
    require(!error);
    check_taken(document);
    return 0;
}
