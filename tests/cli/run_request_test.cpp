// SPDX-License-Identifier: Apache-2.0
// Mounts of the command line.
#include "cli/run_request.hpp"

#include <gtest/gtest.h>

namespace aduana::cli {
namespace {

TEST(ParseMount, WithoutASecondPathItAppearsAtItsOwn)
{
    const auto mount = parse_mount("--ro", "/data/set1", shim::MountMode::read_only);
    ASSERT_TRUE(mount);
    EXPECT_EQ(*mount, (shim::BindMount{"/data/set1", "/data/set1", shim::MountMode::read_only}));
}

TEST(ParseMount, ASecondPathSaysWhereItAppears)
{
    const auto mount = parse_mount("--rw", "/data/set1:/data", shim::MountMode::read_write);
    ASSERT_TRUE(mount);
    EXPECT_EQ(*mount, (shim::BindMount{"/data/set1", "/data", shim::MountMode::read_write}));
}

TEST(ParseMount, RelativePathsAreRefusedWithTheSpellingToUse)
{
    for (const char* text : {"data", "data:/x", "/data:x", "", ":/x", "/data:"}) {
        const auto mount = parse_mount("--ro", text, shim::MountMode::read_only);
        ASSERT_FALSE(mount) << text;
        EXPECT_EQ(describe(mount.error()),
                  std::string("--ro ") + text + ": both paths must be absolute; write --ro /PATH or --ro /PATH:/AT");
    }
}

} // namespace
} // namespace aduana::cli
