// SPDX-License-Identifier: Apache-2.0
// Most bytes can neither begin a core nor an escape: they are skipped.
#include "proxy/core/placeholder_search.hpp"

#include <charconv>

namespace aduana::proxy {

namespace {

constexpr bool begins_escape(char c)
{
    return c == '%' || c == '\\';
}

constexpr bool is_base32(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= '2' && c <= '7');
}

} // namespace

bool PlaceholderSearch::Matcher::take(char c)
{
    const auto size = core_.size();
    core_.push_back(c);
    const bool fits = size < core_mark.size() ? c == core_mark[size] : is_base32(c);
    if (!fits)
        restart();
    return fits && core_.size() == core_size;
}

/// The last characters may begin another core.
void PlaceholderSearch::Matcher::restart()
{
    for (auto size = core_mark.size(); size > 0; --size) {
        if (core_.ends_with(core_mark.substr(0, size))) {
            core_.erase(0, core_.size() - size);
            return;
        }
    }
    core_.clear();
}

void PlaceholderSearch::feed(std::string_view piece, const Found& found)
{
    for (std::size_t at = 0; at < piece.size(); ++at) {
        if (plain_.core().empty() && decoded_.core().empty() && escape_size_ == 0) {
            while (at < piece.size() && piece[at] != core_mark.front() && !begins_escape(piece[at]))
                ++at;
            if (at == piece.size())
                return;
        }
        if (plain_.take(piece[at])) {
            found(plain_.core());
            plain_.restart();
        }
        decode(piece[at], found);
    }
}

void PlaceholderSearch::decode(char c, const Found& found)
{
    if (escape_size_ != 0 && begins_escape(c))
        end_escape(found); // the one before was none
    if (escape_size_ == 0 && !begins_escape(c))
        return take_decoded(c, found);
    escape_[escape_size_++] = c;
    const bool percent = escape_[0] == '%';
    const bool json = escape_size_ < 2 || escape_[1] == 'u';
    if (escape_size_ == (percent ? 3U : 6U) || (!percent && !json))
        end_escape(found);
}

void PlaceholderSearch::end_escape(const Found& found)
{
    const std::string_view text(escape_.data(), escape_size_);
    escape_size_ = 0;
    const std::size_t digits_at = text[0] == '%' ? 1 : 2;
    const bool whole = text.size() == (digits_at == 1 ? 3U : 6U);
    const auto* const last = text.data() + text.size();
    unsigned value = 0x80;
    if (whole && std::from_chars(text.data() + digits_at, last, value, 16).ptr == last && value < 0x80) {
        since_escape_ = 0;
        return take_decoded(static_cast<char>(value), found);
    }
    for (const char c : text)
        take_decoded(c, found);
}

/// What holds no escape `plain_` has found.
void PlaceholderSearch::take_decoded(char c, const Found& found)
{
    ++since_escape_;
    if (!decoded_.take(c))
        return;
    if (since_escape_ <= core_size)
        found(decoded_.core());
    decoded_.restart();
}

void find_cores(std::string_view text, const PlaceholderSearch::Found& found)
{
    PlaceholderSearch search;
    search.feed(text, found);
}

} // namespace aduana::proxy
