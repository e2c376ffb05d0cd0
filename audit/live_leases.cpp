// SPDX-License-Identifier: Apache-2.0
// A pass over the events: what was lent, what asked with it, what has ended.
#include "audit/live_leases.hpp"

#include "audit/parsed_line.hpp"
#include "audit/time.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace aduana::audit {
namespace {

struct Issued {
    std::string lease;
    Micros time = 0;
    Micros ends = 0;
    std::uint64_t uses = 0;
};

/// Requests that named one lease.
struct Uses {
    std::set<std::uint64_t> all;
    std::set<std::uint64_t> running;
};

Micros end_of(Micros issued, std::uint64_t ttl_ms)
{
    constexpr auto last = std::numeric_limits<Micros>::max();
    constexpr Micros micros_per_ms = 1000;
    const auto room = static_cast<std::uint64_t>((last - issued) / micros_per_ms);
    return ttl_ms > room ? last : issued + static_cast<Micros>(ttl_ms) * micros_per_ms;
}

class Pass {
public:
    void see(const ParsedLine& line)
    {
        const auto lease = line.text("lease");
        if (line.event == "lease.issue")
            issue(line, lease);
        else if (line.event == "lease.revoke")
            std::erase_if(issued_, [&lease](const auto& one) { return one.second.lease == lease; });
        else if (line.event == "request.start")
            start(line, lease);
        else if (line.event == "request")
            end(line, lease);
    }

    [[nodiscard]] std::vector<LiveLease> live(Micros now) const
    {
        std::vector<LiveLease> leases;
        for (const auto& [credential, issued] : issued_) {
            const auto found = uses_.find(issued.lease);
            const auto used = found == uses_.end() ? 0 : found->second.all.size();
            const bool running = found != uses_.end() && !found->second.running.empty();
            const auto left = issued.uses - std::min<std::uint64_t>(used, issued.uses);
            if (now < issued.ends && (left > 0 || running))
                leases.push_back({credential, issued.lease, issued.time, issued.ends, left});
        }
        return leases;
    }

private:
    void issue(const ParsedLine& line, const std::string& lease)
    {
        const auto time = parse_time(line.time).value_or(0);
        // A credential has one lease at a time: this one takes the place of another whose value was refused.
        issued_[line.text("credential")] = {lease, time, end_of(time, line.number("ttl_ms")), line.number("uses")};
    }

    void start(const ParsedLine& line, const std::string& lease)
    {
        if (lease.empty())
            return;
        uses_[lease].all.insert(line.number("id"));
        uses_[lease].running.insert(line.number("id"));
        started_[line.number("id")] = lease;
    }

    /// It may name another lease than its start did: the first one's value was refused, and it was sent again.
    void end(const ParsedLine& line, const std::string& lease)
    {
        const auto id = line.number("id");
        if (const auto begun = started_.extract(id))
            uses_[begun.mapped()].running.erase(id);
        if (!lease.empty())
            uses_[lease].all.insert(id);
    }

    std::map<std::string, Issued> issued_; ///< by credential
    std::map<std::string, Uses> uses_;     ///< by lease
    std::map<std::uint64_t, std::string> started_;
};

/// Most lines of a long journal have nothing to say here.
bool is_about_leases(const ReadEvent& event)
{
    return event.event.starts_with("lease.") || event.event == "request" || event.event == "request.start";
}

} // namespace

std::vector<LiveLease> live_leases(const std::vector<ReadEvent>& events, Micros now)
{
    if (!events.empty() && events.back().event == "task.end")
        return {};
    Pass pass;
    for (const auto& event : events) {
        if (!is_about_leases(event))
            continue;
        if (const auto line = parse_line(event.json))
            pass.see(*line);
    }
    return pass.live(now);
}

} // namespace aduana::audit
