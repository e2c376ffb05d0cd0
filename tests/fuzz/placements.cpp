// SPDX-License-Identifier: Apache-2.0
// A value that is put into a query, a path, a JSON text or cookies is found there, once and as itself, by a reader that
// knows nothing of how it was put in; and every other byte is the client's. The first byte chooses the surface.
#include "proxy/core/cookies.hpp"
#include "proxy/core/json_member.hpp"
#include "proxy/core/parameters.hpp"
#include "proxy/core/path_segment.hpp"

#include <boost/json.hpp>

#include <cstdlib>

namespace {

using namespace aduana;
using namespace aduana::proxy;

constexpr std::string_view value = "the-value";

void require(bool holds)
{
    if (!holds)
        std::abort();
}

std::string filled(std::string_view text, Slot slot)
{
    require(slot.start <= text.size() && slot.size <= text.size() - slot.start);
    const FilledText whole(text, slot, value);
    require(whole.reveal().starts_with(text.substr(0, slot.start)));
    require(whole.reveal().ends_with(text.substr(slot.start + slot.size)));
    return std::string(whole.reveal());
}

std::size_t count(std::string_view text, std::string_view wanted)
{
    std::size_t found = 0;
    for (auto at = text.find(wanted); at != text.npos; at = text.find(wanted, at + 1))
        ++found;
    return found;
}

void try_parameters(std::string_view pairs)
{
    const auto slot = find_parameter(pairs, "key");
    if (!slot || !slot->has_value())
        return;
    std::size_t named = 0;
    for_each_parameter(filled(pairs, slot->value_or(Slot{})), [&named](std::string_view key, std::string_view sent) {
        if (parameter_name(key) != "key")
            return;
        ++named;
        require(sent == value);
    });
    require(named == 1);
}

void try_segment(std::string_view path)
{
    const auto slot = find_segment(path, "bot{}", "PH");
    if (!slot)
        return;
    const auto out = filled(path, *slot) + "/";
    require(count(std::string(path) + "/", "/botPH/") == 1);
    require(count(out, "/botPH/") == 0);
    require(count(out, "/botthe-value/") >= 1);
}

void try_json(std::string_view text)
{
    const auto slot = find_json_string(text, "/a/0");
    if (!slot)
        return;
    boost::json::error_code error;
    const auto before = boost::json::parse(boost::json::string_view(text.data(), text.size()), error);
    require(!error);
    const auto out = filled(text, *slot);
    auto after = boost::json::parse(out, error);
    require(!error);
    auto* const found = after.find_pointer("/a/0", error);
    require(found != nullptr && found->is_string() && found->get_string() == value);
    const auto* const old = before.find_pointer("/a/0", error);
    require(old != nullptr && old->is_string());
    require(json_unescaped(text.substr(slot->start, slot->size)) == old->get_string());
    *found = *old;
    require(after == before);
}

void try_cookies(std::string_view cookies)
{
    Fields fields;
    fields.add("Cookie", cookies);
    const auto out = with_cookie(fields, "sid", value);
    Fields again;
    again.add("cookie", out.reveal());
    require(with_cookie(again, "sid", value).reveal() == out.reveal());
    require(out.reveal().ends_with("sid=the-value"));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size == 0)
        return 0;
    const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
    switch (data[0] % 4) {
    case 0:
        try_parameters(text);
        break;
    case 1:
        try_segment(text);
        break;
    case 2:
        try_json(text);
        break;
    default:
        try_cookies(text);
        break;
    }
    return 0;
}
