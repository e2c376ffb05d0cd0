// SPDX-License-Identifier: Apache-2.0
// Heads of HTTP/1.1 messages as views over the bytes they were read from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aduana::proxy {

/// One field line; name and value without surrounding white space (RFC 9110 section 5).
struct Field {
    std::string_view name;
    std::string_view value;
};

/// ASCII case-insensitive.
[[nodiscard]] bool same_name(std::string_view left, std::string_view right);

class Fields {
public:
    Fields() { list_.reserve(16); } // most heads: one allocation, not five
    void add(std::string_view name, std::string_view value) { list_.push_back({name, value}); }
    /// The first one of this name; its absence is not the empty value.
    [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const;
    [[nodiscard]] std::size_t count(std::string_view name) const;
    /// `token` is an element of the comma-separated values of all fields of this name (RFC 9110 section 5.6.1).
    [[nodiscard]] bool has_token(std::string_view name, std::string_view token) const;
    [[nodiscard]] auto begin() const { return list_.begin(); }
    [[nodiscard]] auto end() const { return list_.end(); }
    [[nodiscard]] std::size_t size() const { return list_.size(); }
    void clear() { list_.clear(); }

private:
    std::vector<Field> list_;
};

/// Fields with bytes of their own, one behind the other: heads that are made here, or that come in a compressed form.
class FieldBuffer {
public:
    void add(std::string_view name, std::string_view value)
    {
        bytes_.append(name).append(value);
        sizes_.push_back({name.size(), value.size()});
    }
    /// Views into the buffer: valid until it is changed or moved.
    [[nodiscard]] Fields fields() const;
    [[nodiscard]] bool empty() const noexcept { return sizes_.empty(); }
    [[nodiscard]] std::size_t count() const noexcept { return sizes_.size(); }
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_.size(); }
    void clear()
    {
        bytes_.clear();
        sizes_.clear();
    }

private:
    struct Sizes {
        std::size_t name;
        std::size_t value;
    };
    std::string bytes_;
    std::vector<Sizes> sizes_;
};

struct RequestHead {
    std::string_view method;
    std::string_view target;
    unsigned minor_version = 1; ///< HTTP/1.0 or HTTP/1.1
    Fields fields;
};

struct ResponseHead {
    int status = 0;
    std::string_view reason_phrase;
    unsigned minor_version = 1;
    Fields fields;
};

} // namespace aduana::proxy
