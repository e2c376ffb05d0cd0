// SPDX-License-Identifier: Apache-2.0
// The decision about what is for a metadata service of the task.
#include "tests/policy/decide_sketch.hpp"

#include <gtest/gtest.h>

namespace aduana::policy {
namespace {

/// The same attempt in a task that has a metadata service there.
std::string to_metadata(const TaskPolicy& policy, Scheme scheme, std::optional<std::string_view> path = {},
                        bool websocket = false)
{
    const Host host = *Host::parse("169.254.169.254");
    const auto method = path ? std::optional<std::string_view>("GET") : std::nullopt;
    return show(decide(policy, Attempt{.scheme = scheme,
                                       .host = host,
                                       .port = 80,
                                       .method = method,
                                       .path = path,
                                       .websocket = websocket,
                                       .metadata_service = true}));
}

TEST(Decide, LeavesAMetadataServiceToTheTask)
{
    const TaskPolicy none = policy_of({});
    EXPECT_EQ(to_metadata(none, Scheme::tcp), "answer metadata-answered -");
    EXPECT_EQ(to_metadata(none, Scheme::http, "/latest/"), "answer metadata-answered -");
    EXPECT_EQ(to_metadata(none, Scheme::http, "/a%2F../b"), "answer metadata-answered -") << "nobody looks at paths";
    EXPECT_EQ(to_metadata(none, Scheme::https, "/latest/"), "deny no-rule -") << "it has no TLS";
    EXPECT_EQ(to_metadata(none, Scheme::http, "/latest/", true), "deny no-rule -") << "it has no WebSockets";
    Sketch all{.name = "all", .hosts = {"169.254.169.254"}, .ports = {80}, .scheme = Scheme::http};
    EXPECT_EQ(to_metadata(policy_of({all}), Scheme::http, "/latest/"), "answer metadata-answered -");
    all.scheme = Scheme::tcp;
    EXPECT_EQ(to_metadata(policy_of({all}), Scheme::tcp), "answer metadata-answered -") << "never dialled";
}

TEST(Decide, LetsDenyRulesWinOverAMetadataService)
{
    Sketch never = deny_all_of("never");
    never.hosts = {"169.254.169.254"};
    EXPECT_EQ(to_metadata(policy_of({}, {never}), Scheme::tcp), "deny denied-by-rule never");
    EXPECT_EQ(to_metadata(policy_of({}, {never}), Scheme::http, "/latest/"), "deny denied-by-rule never");
    never.scheme = Scheme::https;
    EXPECT_EQ(to_metadata(policy_of({}, {never}), Scheme::http, "/latest/"), "answer metadata-answered -");
    never.scheme = Scheme::http;
    never.paths = {"/latest/user-data"};
    const TaskPolicy by_path = policy_of({}, {never});
    EXPECT_EQ(to_metadata(by_path, Scheme::tcp), "answer metadata-answered -") << "its requests are judged";
    EXPECT_EQ(to_metadata(by_path, Scheme::http, "/latest/meta-data/"), "answer metadata-answered -");
    EXPECT_EQ(to_metadata(by_path, Scheme::http, "/latest/user-data"), "deny denied-by-rule never");
    EXPECT_EQ(to_metadata(by_path, Scheme::http, "/latest/x/../meta-data"), "deny path-ambiguous never");
    EXPECT_EQ(to_metadata(by_path, Scheme::http, "/latest/a%2Fb"), "deny path-ambiguous never");
}

} // namespace
} // namespace aduana::policy
