// SPDX-License-Identifier: Apache-2.0
// The operator's rules come first: of two that name the same member, the first one says where its value may go.
#include "proxy/core/capture_rules.hpp"

#include "policy/presets/captures.hpp"

namespace aduana::proxy {

using policy::CaptureRule;

namespace {

std::vector<CaptureRule> make_well_known()
{
    std::vector<CaptureRule> rules;
    for (const auto& preset : policy::all_capture_presets()) {
        if (!preset.always)
            continue;
        auto& rule = rules.emplace_back();
        rule.members.assign(preset.members.begin(), preset.members.end());
        rule.at_href = preset.at_href;
        for (const auto path : preset.paths) {
            if (auto pattern = policy::PathPattern::parse(path))
                rule.paths.push_back(std::move(*pattern));
        }
    }
    return rules;
}

} // namespace

Outcome<std::vector<CaptureRule>> read_capture_rules(const std::vector<broker::Capture>& captures)
{
    std::vector<CaptureRule> rules;
    for (const auto& capture : captures) {
        auto& rule = rules.emplace_back();
        rule.members = capture.members;
        rule.at_href = capture.at_href;
        rule.ttl = std::chrono::milliseconds(capture.ttl_ms);
        for (const auto& text : capture.hosts) {
            auto host = policy::HostPattern::parse(text);
            if (!host)
                return Failure{policy::Reason::credential_unavailable, Party::broker,
                               "the broker said a host that is none for a derived credential"};
            rule.hosts.push_back(std::move(*host));
        }
    }
    return rules;
}

const std::vector<CaptureRule>& well_known_captures()
{
    static const std::vector<CaptureRule> rules = make_well_known();
    return rules;
}

std::vector<const CaptureRule*> captures_of(const std::vector<CaptureRule>& own, std::string_view method,
                                            std::string_view path)
{
    std::vector<const CaptureRule*> rules;
    rules.reserve(own.size());
    for (const auto& rule : own)
        rules.push_back(&rule);
    for (const auto& rule : well_known_captures()) {
        if (rule.applies_to(method, path))
            rules.push_back(&rule);
    }
    return rules;
}

} // namespace aduana::proxy
