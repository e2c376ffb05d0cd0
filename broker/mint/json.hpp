// SPDX-License-Identifier: Apache-2.0
// JSON that may hold secrets: read into memory that is wiped, and written.
#pragma once

#include "broker/mint/secret_writer.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace aduana::broker {

class Json;

/// A value inside of a Json, which it must not outlive. Every question has an answer: what is not there, or is of
/// another kind, is "no such value".
class JsonValue {
public:
    JsonValue() = default;

    /// The member of an object.
    [[nodiscard]] JsonValue operator[](std::string_view name) const;
    [[nodiscard]] std::optional<std::string_view> text() const;
    /// A whole number, or one that only a fraction keeps from being one, which is dropped. Unset outside of 64 bit.
    [[nodiscard]] std::optional<std::int64_t> number() const;
    [[nodiscard]] bool is_object() const;
    [[nodiscard]] bool is_null() const; ///< not there, or null
    /// Of an array; empty for everything else.
    [[nodiscard]] std::vector<JsonValue> items() const;
    struct Member;
    /// Of an object, in its order.
    [[nodiscard]] std::vector<Member> members() const;

private:
    friend class Json;
    explicit JsonValue(const void* value) : value_(value) {}
    const void* value_ = nullptr;
};
struct JsonValue::Member {
    std::string_view name;
    JsonValue value;
};

class Json {
public:
    /// Unset if `text` is not exactly one JSON value (RFC 8259), is not UTF-8, or is nested deeper than 16.
    [[nodiscard]] static std::optional<Json> parse(std::string_view text);
    Json(Json&&) noexcept;
    Json& operator=(Json&&) noexcept;
    ~Json();

    [[nodiscard]] JsonValue root() const;

private:
    struct State;
    explicit Json(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

/// `text` as a JSON string, with its quotes.
void put_json_text(SecretWriter& out, std::string_view text);

} // namespace aduana::broker
