// SPDX-License-Identifier: Apache-2.0
// "bucket.s3.eu-west-1.amazonaws.com": the label of the region is told by its shape.
#include "broker/core/aws_hosts.hpp"

#include <algorithm>
#include <array>

namespace aduana::broker {
namespace {

constexpr std::array<std::string_view, 3> domains{".amazonaws.com", ".amazonaws.com.cn", ".api.aws"};

std::string_view without_domain(std::string_view host)
{
    for (const auto domain : domains) {
        if (host.ends_with(domain))
            return host.substr(0, host.size() - domain.size());
    }
    return {};
}

bool all_of(std::string_view text, char first, char last)
{
    return !text.empty() && std::ranges::all_of(text, [=](char c) { return c >= first && c <= last; });
}

/// "eu-west-1", "us-gov-east-1".
bool is_region(std::string_view label)
{
    const auto number = label.rfind('-');
    const auto area = label.find('-');
    return number != label.npos && area != number && area == 2 && all_of(label.substr(0, area), 'a', 'z') &&
           all_of(label.substr(number + 1), '0', '9');
}

} // namespace

bool is_in_region(std::string_view host, std::string_view region)
{
    auto labels = without_domain(host);
    // A bucket may be called like a region: the label nearest to the domain counts.
    while (!labels.empty()) {
        const auto dot = labels.rfind('.');
        auto label = dot == labels.npos ? labels : labels.substr(dot + 1);
        if (label.starts_with("s3-"))
            label.remove_prefix(3);
        if (is_region(label))
            return label == region;
        labels = dot == labels.npos ? std::string_view() : labels.substr(0, dot);
    }
    return true;
}

} // namespace aduana::broker
