// SPDX-License-Identifier: Apache-2.0
// A place in a text, and the text with something else there.
#pragma once

#include "policy/base/secret.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace aduana::proxy {

struct Slot {
    std::size_t start = 0;
    std::size_t size = 0;
};

/// Bytes that hold a secret for the length of one request, wiped when they end. Not in locked memory, of which there is
/// little: how long these are is the client's choice.
class FilledText {
public:
    FilledText() = default;
    /// `text` with `value` in `slot`, which lies within it.
    FilledText(std::string_view text, Slot slot, std::string_view value);
    FilledText(FilledText&&) noexcept = default;
    FilledText& operator=(FilledText&& other) noexcept
    {
        bytes_.swap(other.bytes_);
        return *this;
    }
    FilledText(const FilledText&) = delete;
    FilledText& operator=(const FilledText&) = delete;
    ~FilledText() { wipe(bytes_); }

    [[nodiscard]] bool empty() const noexcept { return bytes_.empty(); }
    /// Valid until this is changed; moving it changes nothing.
    [[nodiscard]] std::string_view reveal() const noexcept { return {bytes_.data(), bytes_.size()}; }

private:
    std::vector<char> bytes_;
};

} // namespace aduana::proxy
