// SPDX-License-Identifier: Apache-2.0
// One walk: each container narrows the members that can still be met below it.
#include "proxy/core/derived.hpp"

#include "proxy/core/grammar.hpp"
#include "proxy/core/head.hpp"
#include "proxy/core/json_member.hpp"
#include "proxy/core/json_walk.hpp"

#include <algorithm>
#include <charconv>

namespace aduana::proxy {

namespace {

using policy::CaptureRule;

Failure uncapturable(std::string detail)
{
    return {policy::Reason::response_uncapturable, Party::upstream, std::move(detail)};
}

/// A member that is looked for, and how much of its pointer was met on the way down.
struct Wanted {
    const CaptureRule* rule;
    std::vector<std::string> names;
    std::size_t met = 0;
};
using WantedList = std::vector<Wanted>;

Wanted read_pointer(const CaptureRule& rule, std::string_view pointer)
{
    Wanted wanted{&rule, {}};
    while (!pointer.empty()) {
        const auto segment = pointer.substr(1, pointer.find('/', 1) - 1);
        pointer.remove_prefix(segment.size() + 1);
        wanted.names.push_back(pointer_name(segment));
    }
    return wanted;
}

/// What is shorter could not be searched for.
constexpr std::size_t shortest_value = 8;

/// Without the escapes of JSON.
Outcome<Secret> value_of(std::string_view raw)
{
    auto text = raw.find('\\') == raw.npos ? std::string(raw) : json_unescaped(raw);
    const bool fits = std::ranges::all_of(text, [](char c) { return c >= 0x20 && c <= 0x7e; }) && text == trim(text) &&
                      text.size() >= shortest_value;
    auto value = fits ? Secret::copy_of(text) : Secret();
    wipe(text);
    if (!fits)
        return uncapturable("what its body has in place of a credential is too short, or cannot be sent in a header");
    return value;
}

class Search {
public:
    explicit Search(std::string_view text) : text_(text), walk_(text) {}

    std::optional<Failure> visit(const WantedList& wanted);
    [[nodiscard]] std::vector<Derived> found() && { return std::move(found_); }

private:
    /// What an object says about the credentials in it.
    struct Terms {
        std::optional<std::chrono::seconds> expires_in;
        std::string href;
    };
    void visit_object(const WantedList& wanted);
    void visit_member(std::string_view name, const WantedList& wanted, Terms& terms);
    void read_lifetime(Terms& terms);
    void read_href(Terms& terms);
    void take(const Wanted& wanted);
    void fail(std::string detail)
    {
        if (!failure_)
            failure_ = uncapturable(std::move(detail));
    }

    std::string_view text_;
    JsonWalk walk_;
    std::vector<Derived> found_;
    std::optional<Failure> failure_;
};

WantedList below(const WantedList& wanted, std::string_view name)
{
    WantedList next;
    for (const auto& one : wanted) {
        const bool fits =
            one.met < one.names.size() && (one.names[one.met] == "*" || same_name(one.names[one.met], name));
        if (fits)
            next.push_back({one.rule, one.names, one.met + 1});
    }
    return next;
}

std::optional<Failure> Search::visit(const WantedList& wanted)
{
    const auto complete = std::ranges::find_if(wanted, [](const Wanted& one) { return one.met == one.names.size(); });
    if (complete != wanted.end()) {
        take(*complete);
    } else if (!wanted.empty() && walk_.kind() == '{') {
        visit_object(wanted);
    } else if (!wanted.empty() && walk_.kind() == '[') {
        std::size_t index = 0;
        walk_.for_each_element([&] { visit(below(wanted, std::to_string(index++))); });
    } else {
        walk_.skip_value();
    }
    return failure_;
}

/// The nearest object that says something is right: those further out do not change what was said.
void Search::visit_object(const WantedList& wanted)
{
    const auto first = found_.size();
    Terms terms;
    walk_.for_each_member([&](std::string_view name) { visit_member(json_unescaped(name), wanted, terms); });
    for (auto i = first; i < found_.size(); ++i) {
        if (!found_[i].expires_in && !found_[i].refreshes)
            found_[i].expires_in = terms.expires_in;
        if (found_[i].href.empty())
            found_[i].href = terms.href;
    }
}

void Search::visit_member(std::string_view name, const WantedList& wanted, Terms& terms)
{
    const auto next = below(wanted, name);
    const char kind = walk_.kind();
    if (next.empty() && name == "expires_in" && (kind == '-' || is_digit(kind)))
        return read_lifetime(terms);
    if (next.empty() && name == "href" && kind == '"')
        return read_href(terms);
    visit(next);
}

/// Of two numbers the smaller one; a fraction counts for nothing, and what is negative or huge is as good as over.
void Search::read_lifetime(Terms& terms)
{
    const auto slot = walk_.word();
    const auto word = text_.substr(slot.start, slot.size);
    std::uint32_t seconds = 0;
    const auto read = std::from_chars(word.data(), word.data() + word.size(), seconds);
    const std::chrono::seconds says(read.ec == std::errc() ? seconds : 0);
    terms.expires_in = std::min(terms.expires_in.value_or(says), says);
}

void Search::read_href(Terms& terms)
{
    const auto slot = walk_.string();
    auto href = json_unescaped(text_.substr(slot.start, slot.size));
    if (!terms.href.empty() && terms.href != href)
        fail("its body sends one credential to two places");
    terms.href = std::move(href);
}

void Search::take(const Wanted& wanted)
{
    const char kind = walk_.kind();
    if (kind != '"') {
        if (kind != 'n')
            fail("its body has something else than a text in place of a credential");
        return walk_.skip_value();
    }
    const auto slot = walk_.string();
    if (slot.size == 0)
        return;
    auto value = value_of(text_.substr(slot.start, slot.size));
    if (!value)
        return fail(value.error().detail);
    if (found_.size() == max_derived)
        return fail("its body has more than 1024 credentials");
    found_.push_back({slot, std::move(*value), wanted.rule, same_name(wanted.names.back(), "refresh_token"), {}, {}});
}

} // namespace

Outcome<std::vector<Derived>> find_derived(std::string_view text, std::span<const CaptureRule* const> rules)
{
    if (!is_json(text))
        return uncapturable("its body is not JSON, or nested deeper than 32 levels");
    WantedList wanted;
    for (const auto* rule : rules) {
        for (const auto& pointer : rule->members)
            wanted.push_back(read_pointer(*rule, pointer));
    }
    Search search(text);
    if (auto failure = search.visit(wanted))
        return std::move(*failure);
    return std::move(search).found();
}

Outcome<std::string> with_placeholders(std::string_view text, const std::vector<Derived>& derived,
                                       const PlaceholderFor& placeholder_for)
{
    std::string out;
    std::size_t done = 0;
    for (const auto& one : derived) {
        const auto placeholder = placeholder_for(one);
        if (!placeholder)
            return placeholder.error();
        out.append(text.substr(done, one.slot.start - done)).append(*placeholder);
        done = one.slot.start + one.slot.size;
    }
    return out.append(text.substr(done));
}

} // namespace aduana::proxy
