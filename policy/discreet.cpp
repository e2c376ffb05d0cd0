// SPDX-License-Identifier: Apache-2.0
// Names, hosts and paths are made of words; tokens and keys are not.
#include "policy/discreet.hpp"

#include <algorithm>
#include <cstdint>

namespace aduana::policy {

namespace {

constexpr std::string_view hidden = "...";
constexpr std::string_view between_runs = " \r\n\t,[]{}()<>|;\"'`";
constexpr std::string_view between_segments = "/:?&@.*";
constexpr std::string_view between_pieces = "_-";

enum class Kind : std::uint8_t { lower, upper, digit, other };

Kind kind_of(char c)
{
    if (c >= 'a' && c <= 'z')
        return Kind::lower;
    if (c >= 'A' && c <= 'Z')
        return Kind::upper;
    return c >= '0' && c <= '9' ? Kind::digit : Kind::other;
}

/// How often a text changes between letters and digits, and from small letters to capitals.
struct Mixture {
    std::size_t digits = 0;
    std::size_t capitals = 0;
};

Mixture mixture_of(std::string_view text)
{
    Mixture mixture;
    for (std::size_t i = 1; i < text.size(); ++i) {
        const auto left = kind_of(text[i - 1]);
        const auto right = kind_of(text[i]);
        if (left == Kind::other || right == Kind::other)
            continue;
        if ((left == Kind::digit) != (right == Kind::digit))
            ++mixture.digits;
        if (left == Kind::lower && right == Kind::upper)
            ++mixture.capitals;
    }
    return mixture;
}

template <class Each>
bool any_part(std::string_view text, std::string_view separators, Each is_secret)
{
    while (!text.empty()) {
        const auto end = std::min(text.find_first_of(separators), text.size());
        if (is_secret(text.substr(0, end)))
            return true;
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return false;
}

bool is_no_word(std::string_view piece)
{
    constexpr std::size_t longest_word = 24;
    constexpr std::size_t longest_number = 20;
    if (piece.find_first_not_of("0123456789") == piece.npos)
        return piece.size() > longest_number;
    const auto mixture = mixture_of(piece);
    return piece.size() > longest_word || (piece.size() >= 12 && mixture.digits >= 1) ||
           (piece.size() >= 10 && mixture.digits >= 2) || (piece.size() >= 6 && mixture.digits >= 3) ||
           (piece.size() >= 8 && mixture.capitals >= 3) ||
           (piece.size() >= 6 && piece.find_first_of("+=!") != piece.npos);
}

/// Of a host, a path or a name: what stands between dots, slashes and the like.
bool is_no_name(std::string_view segment)
{
    const auto mixture = mixture_of(segment);
    return (segment.size() >= 12 && mixture.digits >= 4) || any_part(segment, between_pieces, is_no_word);
}

/// Of what stands between blanks, quotes and brackets.
class Run {
public:
    Run(std::string_view text, std::size_t offset, std::vector<HiddenRange>& found)
        : text_(text), offset_(offset), found_(found)
    {
    }

    void look() const
    {
        const auto begin = after_user();
        const auto equals = text_.find('=', begin);
        const auto end = std::min(equals, text_.size());
        if (const auto value = text_.find_first_not_of('=', end); value != text_.npos) {
            look_at_names(begin, end);
            hide(value, text_.size());
        } else {
            look_at_names(begin, text_.size());
        }
    }

private:
    void hide(std::size_t begin, std::size_t end) const { found_.push_back({offset_ + begin, offset_ + end}); }

    /// What is in front of the host of a URL is hidden; a path such as "/@team/app" has no user.
    [[nodiscard]] std::size_t after_user() const
    {
        const auto scheme = text_.find("://");
        const auto begin = scheme == text_.npos ? 0 : scheme + 3;
        const auto at = text_.rfind('@');
        const bool user = at != text_.npos && at > begin && text_[begin] != '/' &&
                          (begin > 0 || text_.substr(0, at).find(':') != text_.npos);
        if (!user)
            return 0;
        hide(begin, at);
        return at;
    }

    /// A host or path keeps what can be read of it; anything else is one secret as a whole.
    void look_at_names(std::size_t begin, std::size_t end) const
    {
        const auto names = text_.substr(begin, end - begin);
        if (!any_part(names, between_segments, is_no_name))
            return;
        const auto first = names.find_first_of(between_segments);
        const bool in_parts = names.front() == '/' || (first != names.npos && names.substr(first).starts_with("://"));
        if (!in_parts)
            return hide(begin, begin + names.find_last_not_of(':') + 1);
        for (std::size_t at = 0; at < names.size();) {
            const auto stop = std::min(names.find_first_of(between_segments, at), names.size());
            if (is_no_name(names.substr(at, stop - at)))
                hide(begin + at, begin + stop);
            at = stop + 1;
        }
    }

    std::string_view text_;
    std::size_t offset_;
    std::vector<HiddenRange>& found_;
};

} // namespace

std::vector<HiddenRange> hidden_ranges(std::string_view text)
{
    std::vector<HiddenRange> found;
    for (auto at = text.find_first_not_of(between_runs); at != text.npos;) {
        const auto end = std::min(text.find_first_of(between_runs, at), text.size());
        Run(text.substr(at, end - at), at, found).look();
        at = text.find_first_not_of(between_runs, end);
    }
    return found;
}

std::string discreet(std::string_view text)
{
    std::string out;
    std::size_t at = 0;
    for (const auto& [begin, end] : hidden_ranges(text)) {
        const bool was_cut = text.substr(end).starts_with(hidden);
        out.append(text.substr(at, begin - at)).append(was_cut ? "" : hidden);
        at = end;
    }
    return out.append(text.substr(at));
}

} // namespace aduana::policy
