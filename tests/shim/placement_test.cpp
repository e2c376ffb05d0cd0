// SPDX-License-Identifier: Apache-2.0
// What lies in what, in whichever order it was given.
#include "sandbox-shim/placement.hpp"

#include <gtest/gtest.h>

using namespace aduana::shim;

namespace {

std::string shown(const SandboxSpec& spec)
{
    std::string text;
    for (const Placement& one : placements(spec))
        text += one.name + "=" + one.at + (one.inside.empty() ? "" : " [" + one.inside + ":" + one.below + "]") + "\n";
    return text;
}

TEST(Placements, AreAttachedToTheInnermostFolderThatTheyLieIn)
{
    SandboxSpec spec;
    spec.work_folder = "/srv/data/w";
    spec.mounts = {{"/x", "/srv/data/w/a/b/c", MountMode::read_only}, {"/y", "/srv/data", MountMode::read_only},
                   {"/z", "/srv/data/w/a", MountMode::read_write},    {"/v", "/srv/data/w/ab", MountMode::read_only},
                   {"/u", "/srv/database", MountMode::read_only},     {"/t", "/mnt/t", MountMode::read_only}};
    EXPECT_EQ(shown(spec), "mount-1=/srv/data\n"
                           "mount-4=/srv/database\n"
                           "mount-5=/mnt/t\n"
                           "work=/srv/data/w [mount-1:w]\n"
                           "mount-2=/srv/data/w/a [work:a]\n"
                           "mount-3=/srv/data/w/ab [work:ab]\n"
                           "mount-0=/srv/data/w/a/b/c [mount-2:b/c]\n");
}

TEST(Placements, StandAloneElsewhere)
{
    SandboxSpec spec;
    spec.work_folder = "/srv/w";
    EXPECT_EQ(shown(spec), "work=/srv/w\n");
    EXPECT_EQ(placements(spec).front().mode, MountMode::read_write);
}

} // namespace
