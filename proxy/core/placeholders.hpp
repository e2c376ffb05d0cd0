// SPDX-License-Identifier: Apache-2.0
// The stand-ins that the sandbox of one task was given, and those that are on their way to a wrong place.
#pragma once

#include "policy/credentials.hpp"
#include "proxy/core/captured.hpp"
#include "proxy/core/failure.hpp"
#include "proxy/core/head.hpp"
#include "proxy/core/placeholder_search.hpp"
#include "proxy/core/target.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace aduana::proxy {

using policy::Unbound;

struct KnownPlaceholder {
    std::string credential; ///< whose place it takes
    std::string value;      ///< with its core
    Unbound in_head = Unbound::refuse;
    Unbound in_body = Unbound::pass;
};

class Placeholders {
public:
    Placeholders() = default;
    explicit Placeholders(std::vector<KnownPlaceholder> known);

    [[nodiscard]] bool empty() const noexcept { return known_.empty() && captured_.empty(); }
    /// Empty if the credential has none. Valid while this lives.
    [[nodiscard]] std::string_view of(std::string_view credential) const;
    /// Null: it is not of this task.
    [[nodiscard]] const KnownPlaceholder* with_core(std::string_view core) const;

    /// Those that answers were given: they have no variable, and places of their own.
    [[nodiscard]] Captured& captured() noexcept { return captured_; }
    [[nodiscard]] const Captured& captured() const noexcept { return captured_; }

private:
    std::vector<KnownPlaceholder> known_;
    std::map<std::string, std::size_t, std::less<>> by_core_;
    Captured captured_;
};

/// A placeholder where it is not replaced: at a destination of another credential or of none, or another task's.
struct Sighting {
    std::string credential; ///< empty: of another task, which is an alarm
    std::string_view place; ///< "path", "query", "head", "body"
    Unbound verdict = Unbound::refuse;
    friend bool operator==(const Sighting&, const Sighting&) = default;
};

/// In path, query and fields of a request to a destination that is bound to the credential `bound` (empty: none), also
/// behind the base64 of Basic. Not in Referer and Origin, which browsers write: see `tells_where_from`.
[[nodiscard]] std::vector<Sighting> find_unbound(const RequestHead& head, const Target& target,
                                                 const Placeholders& placeholders, std::string_view bound);
/// placeholder_unbound or placeholder_foreign, for a sighting that is refused.
[[nodiscard]] Failure failure_of(const Sighting& sighting);

/// Referer or Origin with a placeholder in it: left out where the request goes to another host than the page.
[[nodiscard]] bool tells_placeholder(std::string_view field_name, std::string_view value);

/// The same for a body, piece by piece. Another task's placeholder passes: nothing replaces it, and the alarm is given.
class BodyWatch {
public:
    /// `placeholders` and `target`, where the body goes, outlive it.
    BodyWatch(const Placeholders& placeholders, const Target& target, std::string_view bound)
        : placeholders_(placeholders), target_(target), bound_(bound)
    {
    }

    void feed(std::string_view piece);
    /// Each credential once.
    [[nodiscard]] const std::vector<Sighting>& seen() const noexcept { return seen_; }
    /// One that is to be refused has been seen: the piece that it ended in must not go on.
    [[nodiscard]] bool refuses() const noexcept { return refuses_; }

private:
    const Placeholders& placeholders_;
    const Target& target_;
    std::string bound_;
    PlaceholderSearch search_;
    std::vector<Sighting> seen_;
    bool refuses_ = false;
};

} // namespace aduana::proxy
