// SPDX-License-Identifier: Apache-2.0
// Where things stand in a JSON text, without making values of it: whatever is not looked for keeps its bytes.
#pragma once

#include "proxy/core/slot.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace aduana::proxy {

/// `text` is one JSON text (RFC 8259, UTF-8), nested at most 32 deep. Nothing of it is kept.
[[nodiscard]] bool is_json(std::string_view text);

/// The name that a segment of a JSON pointer stands for: "~1" is a slash and "~0" a tilde (RFC 6901 section 4).
[[nodiscard]] std::string pointer_name(std::string_view segment);

/// Walks a text that `is_json`; nothing else keeps it within its bounds.
class JsonWalk {
public:
    explicit JsonWalk(std::string_view text) : text_(text) {}

    /// The first byte of the value that is next.
    char kind()
    {
        skip_blanks();
        return at_ < text_.size() ? text_[at_] : '\0';
    }
    /// The bytes between the quotes of the string that is next.
    Slot string();
    /// The bytes of the number, true, false or null that is next.
    Slot word();
    void skip_value();

    /// Goes through the object that is next. `member` is called with the bytes between the quotes of each name, at the
    /// value, and goes past it.
    template <class Member>
    void for_each_member(Member member)
    {
        for (++at_; kind() != '}'; skip_comma()) {
            const auto name = string();
            kind();
            ++at_; // the colon
            kind();
            member(text_.substr(name.start, name.size));
        }
        ++at_;
    }
    /// The same for an array.
    template <class Element>
    void for_each_element(Element element)
    {
        for (++at_; kind() != ']'; skip_comma())
            element();
        ++at_;
    }

    /// Goes to the value of the one member of this name; false if there is none, or more than one.
    bool enter_member(std::string_view name);
    /// In the object that is next there are members whose names are this one but for their case: many programs take
    /// them for it (that of two letters outside of ASCII, too: U+017F is an s, U+212A a k). Where the walk is does not
    /// change.
    [[nodiscard]] bool has_member_like(std::string_view name) const;
    /// In the object that is next some name has U+0000 in it, at which programs in C end it, or which others drop.
    [[nodiscard]] bool has_name_with_nul() const;
    bool enter_element(std::string_view index);

private:
    void skip_blanks() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }
    void skip_comma()
    {
        if (kind() == ',')
            ++at_;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

} // namespace aduana::proxy
