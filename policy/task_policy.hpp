// SPDX-License-Identifier: Apache-2.0
// The policy of one task: immutable once loaded.
#pragma once

#include "policy/host.hpp"
#include "policy/limits.hpp"
#include "policy/path.hpp"
#include "policy/preset_use.hpp"
#include "policy/rule_limits.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace aduana::policy {

enum class Scheme : std::uint8_t { https, http, tcp };
[[nodiscard]] std::string_view name_of(Scheme scheme);
/// 0 for tcp: it has none.
[[nodiscard]] std::uint16_t default_port(Scheme scheme);

/// Where something stands in a file: 1-based, 0 for "not in a file".
struct Place {
    int line = 0;
    int column = 0;
    friend bool operator==(const Place&, const Place&) = default;
};

/// One entry of `allow` or `deny`. Empty `methods`: all but TRACE and CONNECT. Empty `paths`: any path.
struct Rule {
    std::string name;
    Place place;
    std::vector<HostPattern> hosts;
    std::vector<std::uint16_t> ports;
    /// An allow rule has exactly one; a deny rule without `scheme` denies every scheme.
    std::optional<Scheme> scheme;
    std::vector<std::string> methods;
    std::vector<PathPattern> paths;
    std::vector<Cidr> addresses;
    std::optional<std::string> credential;
    /// As written: see `allows_websocket`.
    std::optional<bool> websocket;
    RuleLimits limits;
    PresetUse preset;

    [[nodiscard]] bool names_requests() const { return !methods.empty() || !paths.empty(); }
    /// Whoever lists methods or paths has thought of requests: a WebSocket, which is none, has to be listed too.
    [[nodiscard]] bool allows_websocket() const { return websocket.value_or(!names_requests()); }
    /// Requests can only be judged, counted or given a credential inside the connection.
    [[nodiscard]] bool inspects() const
    {
        return names_requests() || credential || !allows_websocket() || limits.requests;
    }
};

struct Mount {
    std::string path;
    std::string at;
    bool writable = false;
    Place place;
};

enum class SecretsFound : std::uint8_t { refuse, warn };

/// The `sandbox:` part. Unset limits come from the operator's defaults.
struct SandboxSettings {
    std::vector<Mount> mounts;
    std::map<std::string, std::string> environment;
    std::vector<std::string> pass_environment;
    Limits limits;
};

/// What the loader read, before it is indexed.
struct PolicyParts {
    std::vector<Rule> allow;
    std::vector<Rule> deny;
    std::vector<HostPattern> tunnel;
    SandboxSettings sandbox;
};

/// Rules with an index by host, so that finding the rules of a host does not depend on how many there are.
class TaskPolicy {
public:
    explicit TaskPolicy(PolicyParts parts);
    TaskPolicy(TaskPolicy&&) noexcept = default;
    TaskPolicy& operator=(TaskPolicy&&) noexcept = default;

    [[nodiscard]] const std::vector<Rule>& allow() const noexcept { return parts_.allow; }
    [[nodiscard]] const std::vector<Rule>& deny() const noexcept { return parts_.deny; }
    [[nodiscard]] const SandboxSettings& sandbox() const noexcept { return parts_.sandbox; }
    [[nodiscard]] bool never_intercept(const Host& host) const;
    /// A preset looks at the fields of requests: they have to be in an Attempt.
    [[nodiscard]] bool looks_at_fields() const noexcept { return looks_at_fields_; }

    /// Indices into `allow()` or `deny()` of the rules that name `host`, ascending (= file order).
    [[nodiscard]] std::vector<std::uint32_t> allow_for(const Host& host) const;
    [[nodiscard]] std::vector<std::uint32_t> deny_for(const Host& host) const;

private:
    /// Finds by a view, without making a string of it.
    struct TextHash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>{}(text); }
    };
    using ByText = std::unordered_map<std::string, std::vector<std::uint32_t>, TextHash, std::equal_to<>>;
    struct Index {
        ByText exact;
        ByText suffix; ///< with the leading dot
        std::vector<std::uint32_t> any;
        void add(const HostPattern& pattern, std::uint32_t rule);
        [[nodiscard]] std::vector<std::uint32_t> find(const Host& host) const;
    };

    PolicyParts parts_;
    bool looks_at_fields_;
    Index allow_;
    Index deny_;
};

} // namespace aduana::policy
