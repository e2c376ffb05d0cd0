// SPDX-License-Identifier: Apache-2.0
// Boost.JSON, with memory of its own that is wiped before it is freed.
#include "broker/mint/json.hpp"

#include <boost/json/parser.hpp>
#include <boost/json/value.hpp>

#include <array>
#include <cmath>
#include <new>

namespace aduana::broker {
namespace {

namespace json = boost::json;

/// Boost.JSON needs no more than the usual alignment, and gives a key back with another than it was asked for with.
class WipingMemory final : public json::memory_resource {
    void* do_allocate(std::size_t size, std::size_t /*alignment*/) override { return ::operator new(size); }
    void do_deallocate(void* memory, std::size_t size, std::size_t /*alignment*/) override
    {
        wipe(memory, size);
        ::operator delete(memory);
    }
    [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

const json::value* value_of(const void* value)
{
    return static_cast<const json::value*>(value);
}

} // namespace

struct Json::State {
    // Of the same memory as the parser's: moved, not copied.
    State() : root(json::storage_ptr(&memory)) {}

    WipingMemory memory;
    json::value root;
};

Json::Json(std::unique_ptr<State> state) : state_(std::move(state)) {}
Json::Json(Json&&) noexcept = default;
Json& Json::operator=(Json&&) noexcept = default;
Json::~Json() = default;

std::optional<Json> Json::parse(std::string_view text)
{
    auto state = std::make_unique<State>();
    json::parse_options options;
    options.max_depth = 16;
    std::array<unsigned char, 4096> scratch{};
    boost::system::error_code error;
    {
        json::parser parser(&state->memory, options, scratch.data(), scratch.size());
        parser.reset(&state->memory);
        parser.write(text.data(), text.size(), error);
        if (!error)
            state->root = parser.release();
    }
    wipe(scratch);
    if (error)
        return std::nullopt;
    return Json(std::move(state));
}

JsonValue Json::root() const
{
    return JsonValue(&state_->root);
}

JsonValue JsonValue::operator[](std::string_view name) const
{
    const auto* object = value_ ? value_of(value_)->if_object() : nullptr;
    return JsonValue(object ? object->if_contains(name) : nullptr);
}

std::optional<std::string_view> JsonValue::text() const
{
    const auto* string = value_ ? value_of(value_)->if_string() : nullptr;
    if (!string)
        return std::nullopt;
    return std::string_view(string->data(), string->size());
}

std::optional<std::int64_t> JsonValue::number() const
{
    if (!value_)
        return std::nullopt;
    if (const auto* whole = value_of(value_)->if_int64())
        return *whole;
    const auto* real = value_of(value_)->if_double();
    // 2^63 is exact; every double below it fits.
    if (!real || !std::isfinite(*real) || std::abs(*real) >= 9223372036854775808.0)
        return std::nullopt;
    return static_cast<std::int64_t>(std::floor(*real));
}

bool JsonValue::is_object() const
{
    return value_ && value_of(value_)->is_object();
}

bool JsonValue::is_null() const
{
    return !value_ || value_of(value_)->is_null();
}

std::vector<JsonValue> JsonValue::items() const
{
    std::vector<JsonValue> items;
    if (const auto* array = value_ ? value_of(value_)->if_array() : nullptr) {
        for (const auto& item : *array)
            items.push_back(JsonValue(&item));
    }
    return items;
}

std::vector<JsonValue::Member> JsonValue::members() const
{
    std::vector<Member> members;
    if (const auto* object = value_ ? value_of(value_)->if_object() : nullptr) {
        for (const auto& [name, value] : *object)
            members.push_back({{name.data(), name.size()}, JsonValue(&value)});
    }
    return members;
}

void put_json_text(SecretWriter& out, std::string_view text)
{
    constexpr std::string_view digits = "0123456789abcdef";
    out.put("\"");
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (byte == '"' || byte == '\\')
            out.put("\\");
        if (byte < 0x20)
            out.put("\\u00").put(digits.substr(byte >> 4, 1)).put(digits.substr(byte & 15, 1));
        else
            out.put(text.substr(i, 1));
    }
    out.put("\"");
}

} // namespace aduana::broker
