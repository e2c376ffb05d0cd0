// SPDX-License-Identifier: Apache-2.0
// Reads the fields of one message by name, so that an error can say which one was wrong.
#pragma once

#include "policy/base/wire.hpp"

namespace aduana::wire {

/// A Reader with names and bounds. After the first bad field every read returns an empty value: a decoder reads all
/// fields and asks `finish()` once.
class Fields {
public:
    /// `reader` and `message` (its name, for errors) must outlive this.
    Fields(Reader& reader, std::string_view message) : reader_(reader), message_(message) {}

    [[nodiscard]] std::string_view view(std::string_view field, std::size_t max_size);
    [[nodiscard]] std::string text(std::string_view field, std::size_t max_size)
    {
        return std::string(view(field, max_size));
    }
    /// min..max, and `min` after an error: an enum that is read through this is always one of its own.
    [[nodiscard]] std::uint8_t u8(std::string_view field, std::uint8_t min, std::uint8_t max);
    /// A u32 on the wire.
    [[nodiscard]] std::uint16_t u16(std::string_view field);
    [[nodiscard]] std::uint32_t u32(std::string_view field);
    [[nodiscard]] std::uint64_t u64(std::string_view field);
    [[nodiscard]] bool boolean(std::string_view field);
    /// For a loop of the caller: at most `max_count`, and no more than the rest of the frame can hold.
    [[nodiscard]] std::uint32_t count(std::string_view field, std::size_t min_element, std::uint32_t max_count);
    [[nodiscard]] std::vector<std::string> list(std::string_view field, std::uint32_t max_count, std::size_t max_size);

    /// Marks the field as bad (for rules that only the message knows).
    void refuse(std::string_view field);

    /// Ok if every field was good and nothing is left over; else the message and its first bad field.
    [[nodiscard]] Result<Ok> finish() const;

private:
    [[nodiscard]] bool good(std::string_view field);

    Reader& reader_;
    std::string_view message_;
    std::string bad_;
};

} // namespace aduana::wire
