// SPDX-License-Identifier: Apache-2.0
// Patterns against patterns: the inner one is matched as if it were a path, in which only a star of the outer one
// stands for a star.
#include "policy/load/containment.hpp"

#include "policy/path_segments.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace aduana::policy::load {

namespace {

/// Wildcard matching of two sequences: `is_star` tells the symbols of `outer` that stand for any run of those that
/// `may_take` tells, `fits` compares the others. Goes back to the latest star only, so the time is the product of the
/// lengths.
template <class Sequence, class IsStar, class MayTake, class Fits>
bool matches_run(const Sequence& outer, const Sequence& inner, IsStar is_star, MayTake may_take, Fits fits)
{
    std::size_t o = 0;
    std::size_t i = 0;
    std::size_t after_star = outer.size() + 1;
    std::size_t taken = 0;
    while (i < inner.size()) {
        if (o < outer.size() && is_star(outer[o])) {
            after_star = ++o;
            taken = i;
        } else if (o < outer.size() && fits(outer[o], inner[i])) {
            ++o;
            ++i;
        } else if (after_star <= outer.size() && may_take(inner[taken])) {
            o = after_star;
            i = ++taken;
        } else {
            return false;
        }
    }
    while (o < outer.size() && is_star(outer[o]))
        ++o;
    return o == outer.size();
}

bool name_contains(std::string_view outer, std::string_view inner)
{
    return matches_run(
        outer, inner, [](char c) { return c == '*'; }, [](char) { return true; },
        [](char left, char right) { return left == right; });
}

/// Names between encoded slashes one by one, as PathPattern matches them.
bool segment_contains(std::string_view outer, std::string_view inner)
{
    if (inner == "**")
        return false;
    for (;;) {
        const auto in_outer = find_encoded_slash(outer);
        const auto in_inner = find_encoded_slash(inner);
        if (!name_contains(outer.substr(0, in_outer), inner.substr(0, in_inner)))
            return false;
        if (in_outer == outer.npos || in_inner == inner.npos)
            return in_outer == in_inner;
        outer.remove_prefix(in_outer + encoded_slash_size);
        inner.remove_prefix(in_inner + encoded_slash_size);
        if (outer == "**" || inner == "**")
            return outer == "**";
    }
}

std::vector<std::string_view> segments(std::string_view path)
{
    std::vector<std::string_view> out;
    for (std::size_t at = 0; at < path.size();) {
        const auto end = std::min(path.find('/', at + 1), path.size());
        out.push_back(path.substr(at + 1, end - at - 1));
        at = end;
    }
    return out;
}

} // namespace

bool contains(std::string_view outer, std::string_view inner)
{
    return matches_run(
        segments(outer), segments(inner), [](std::string_view segment) { return segment == "**"; },
        [](std::string_view segment) { return find_encoded_slash(segment) == segment.npos; }, segment_contains);
}

bool covers_host(const CredentialBound& bound, const HostPattern& host)
{
    return std::any_of(bound.hosts.begin(), bound.hosts.end(),
                       [&host](const HostPattern& outer) { return outer.covers(host); });
}

bool covers_port(const CredentialBound& bound, std::uint16_t port)
{
    return std::find(bound.ports.begin(), bound.ports.end(), port) != bound.ports.end();
}

bool covers_method(const CredentialBound& bound, std::optional<std::string_view> method)
{
    if (bound.methods.empty())
        return true;
    return method && std::find(bound.methods.begin(), bound.methods.end(), *method) != bound.methods.end();
}

bool covers_path(const CredentialBound& bound, const PathPattern* path)
{
    if (bound.paths.empty())
        return true;
    return path && std::any_of(bound.paths.begin(), bound.paths.end(),
                               [path](const PathPattern& outer) { return contains(outer.text(), path->text()); });
}

} // namespace aduana::policy::load
