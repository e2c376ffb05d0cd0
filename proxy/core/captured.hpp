// SPDX-License-Identifier: Apache-2.0
// The derived credentials of one task, each behind a placeholder, until their time is over.
#pragma once

#include "broker/protocol/edits.hpp"
#include "policy/capture.hpp"
#include "proxy/core/derived.hpp"
#include "proxy/core/head.hpp"
#include "proxy/core/target.hpp"

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aduana::proxy {

/// Where a derived credential may go, over https.
struct CapturedPlace {
    policy::HostPattern host;
    std::uint16_t port;
    friend bool operator==(const CapturedPlace&, const CapturedPlace&) = default;
};

struct CapturedValue {
    std::string placeholder;
    Secret value;                  ///< empty: its time is over
    std::string credential;        ///< that it is derived from
    bool replaces_foreign = false; ///< as the lease of that credential said
    bool refreshes = false;        ///< goes into a form alone
    std::vector<CapturedPlace> places;
    std::chrono::steady_clock::time_point ends;

    /// `bound`: the credential of the rule that let the request through; empty: it has none.
    [[nodiscard]] bool is_for(const Target& target, std::string_view bound) const;
};

/// What is said of a credential when its answer was captured.
struct CaptureContext {
    std::string_view credential;
    bool replaces_foreign;
    const Target& answering;
    std::chrono::steady_clock::time_point now;
};

class Captured {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::size_t most = 4096;

    [[nodiscard]] bool empty() const noexcept { return values_.empty(); }
    /// Null: it is none of these. Of one that is over the value is gone.
    [[nodiscard]] const CapturedValue* with_core(std::string_view core) const;
    /// The same for a whole placeholder.
    [[nodiscard]] const CapturedValue* behind(std::string_view placeholder) const;
    /// Null: this value is not kept.
    [[nodiscard]] const CapturedValue* of(const Secret& value) const;

    /// Keeps the value of `derived`, under `placeholder` if it is not kept yet; else it may go to the new places as
    /// well, for the longer of both times. Fails with response_uncapturable if too many are kept, or the answer says no
    /// place that could be judged.
    Outcome<const CapturedValue*> keep(const Derived& derived, const CaptureContext& context, std::string placeholder);
    /// Wipes what is over.
    void expire(Clock::time_point now);

private:
    CapturedValue* find(const Secret& value);

    std::map<std::string, CapturedValue, std::less<>> values_; ///< by core
};

/// "EGP_" and 26 characters of base32, of 26 random bytes.
[[nodiscard]] std::string placeholder_of(std::string_view random);

/// One field of a request that holds a placeholder of a derived credential: alone, behind a scheme such as Bearer, or
/// as the password of Basic.
struct CapturedUse {
    std::string field;
    std::string scheme;              ///< "Bearer ", or empty
    std::optional<std::string> user; ///< of Basic
    const CapturedValue* value;      ///< of `captured`
};
/// The first of the fields in which services look for a credential, but Cookie. Whether it may go there is not asked.
[[nodiscard]] std::optional<CapturedUse> find_captured(const RequestHead& head, const Captured& captured);
/// The field with the value in it.
[[nodiscard]] broker::HeaderField field_of(const CapturedUse& use);

/// Percent-encoded, as the value of a parameter.
[[nodiscard]] Secret form_encoded(const Secret& value);

/// What else gives the value away: the token behind a scheme, the password of Basic.
[[nodiscard]] std::vector<Secret> spelled_out(const Secret& value);

} // namespace aduana::proxy
