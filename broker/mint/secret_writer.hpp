// SPDX-License-Identifier: Apache-2.0
// Text that secrets go into: built up without leaving pieces behind in freed memory.
#pragma once

#include "policy/base/secret.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace aduana::broker {

class SecretWriter {
public:
    SecretWriter() = default;
    SecretWriter(const SecretWriter&) = delete;
    SecretWriter& operator=(const SecretWriter&) = delete;
    ~SecretWriter() { wipe(text_); }

    SecretWriter& put(std::string_view text);
    /// application/x-www-form-urlencoded as RFC 6749 appendix B has it: everything but letters, digits and -._ becomes
    /// %XX, and a space `+`.
    SecretWriter& put_form(std::string_view text);
    /// As a query component or a path segment (RFC 3986 section 2.3): everything but the unreserved becomes %XX.
    SecretWriter& put_percent(std::string_view text);
    /// RFC 4648 section 4, with padding.
    SecretWriter& put_base64(std::string_view bytes);
    /// RFC 4648 section 5, without padding.
    SecretWriter& put_base64url(std::string_view bytes);

    /// Valid until the next `put`.
    [[nodiscard]] std::string_view view() const noexcept { return text_; }
    [[nodiscard]] Secret take();

private:
    void make_room(std::size_t more);

    std::string text_;
};

/// One after the other.
[[nodiscard]] Secret join(std::initializer_list<std::string_view> parts);

/// RFC 4648 section 5, without padding; unset where a character or a length cannot be.
[[nodiscard]] std::optional<Secret> from_base64url(std::string_view text);

/// A secret as the value of a form field or the like: without the line end that editors add.
[[nodiscard]] std::string_view without_line_end(std::string_view value);

} // namespace aduana::broker
