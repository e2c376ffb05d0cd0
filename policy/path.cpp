// SPDX-License-Identifier: Apache-2.0
// Paths: what is sent is what was matched, so whatever has a second reading is refused, never normalised.
#include "policy/path.hpp"

#include "policy/path_segments.hpp"

namespace aduana::policy {
namespace {

/// RFC 3986 section 3.3 pchar without ";": some servers cut a segment at it (RFC 2396 parameters).
bool may_stand_plain(unsigned char c)
{
    return is_unreserved(c) || std::string_view("!$&'()*+,=:@").find(static_cast<char>(c)) != std::string_view::npos;
}

/// Encoded bytes that a second server could read as something else: other spellings of plain letters, what ends or
/// splits a path ("/", "\", ";", "?", "#"), a second layer of encoding ("%"), and control characters.
bool may_stand_encoded(unsigned char c)
{
    return c >= 0x20 && c != 0x7f && !is_unreserved(c) &&
           std::string_view("/\\;?#%").find(static_cast<char>(c)) == std::string_view::npos;
}

/// Well-formed UTF-8 only (Unicode, table 3-7): an overlong form is another spelling of a character.
class Utf8Check {
public:
    /// False if `byte` cannot follow the bytes before it.
    bool feed(std::uint8_t byte)
    {
        if (pending_ == 0)
            return byte < 0x80 || begin(byte);
        const bool fits = byte >= lowest_ && byte <= highest_;
        expect(pending_ - 1);
        return fits;
    }
    [[nodiscard]] bool complete() const { return pending_ == 0; }

private:
    /// A character of several bytes. Some first bytes narrow the second one: overlong forms, surrogates, the end.
    bool begin(std::uint8_t byte)
    {
        if (byte >= 0xc2 && byte <= 0xdf)
            expect(1);
        else if (byte >= 0xe0 && byte <= 0xef)
            expect(2, byte == 0xe0 ? 0xa0 : 0x80, byte == 0xed ? 0x9f : 0xbf);
        else if (byte >= 0xf0 && byte <= 0xf4)
            expect(3, byte == 0xf0 ? 0x90 : 0x80, byte == 0xf4 ? 0x8f : 0xbf);
        return pending_ > 0;
    }

    void expect(int count, std::uint8_t lowest = 0x80, std::uint8_t highest = 0xbf)
    {
        pending_ = count;
        lowest_ = lowest;
        highest_ = highest;
    }

    int pending_ = 0;
    std::uint8_t lowest_ = 0x80;
    std::uint8_t highest_ = 0xbf;
};

bool name_is_ambiguous(std::string_view name)
{
    Utf8Check utf8;
    std::uint8_t last = 0;
    for (std::size_t i = 0; i < name.size(); ++i) {
        last = static_cast<std::uint8_t>(name[i]);
        const bool encoded = last == '%';
        if (encoded) {
            const auto byte = decode_triplet(name.substr(i));
            if (!byte || !may_stand_encoded(*byte))
                return true;
            last = *byte;
            i += 2;
        } else if (!may_stand_plain(last)) {
            return true;
        }
        if (!utf8.feed(last))
            return true;
    }
    // Dot segments, and names that file systems of Windows shorten: "a." and "a " open "a".
    return !utf8.complete() || last == '.' || last == ' ';
}

/// Names between encoded slashes must be plain, so that a server that reads them as slashes meets nothing new.
PathReading read_segment(std::string_view segment)
{
    auto reading = PathReading::plain;
    for (;;) {
        const auto slash = find_encoded_slash(segment);
        const auto name = segment.substr(0, slash);
        const bool divided = reading == PathReading::encoded_slash || slash != std::string_view::npos;
        if (name_is_ambiguous(name) || (divided && name.empty()))
            return PathReading::ambiguous;
        if (slash == std::string_view::npos)
            return reading;
        reading = PathReading::encoded_slash;
        segment.remove_prefix(slash + encoded_slash_size);
    }
}

} // namespace

PathReading read_path(std::string_view path)
{
    if (path == "*") // RFC 9112 section 3.2.4: the server itself, not a path
        return PathReading::plain;
    if (!path.starts_with('/'))
        return PathReading::ambiguous;
    auto reading = PathReading::plain;
    for (Segments segment(path); !segment.at_end(); segment.next()) {
        if (segment.front().empty() && !segment.is_last())
            return PathReading::ambiguous;
        reading = std::max(reading, read_segment(segment.front()));
    }
    return reading;
}

} // namespace aduana::policy
