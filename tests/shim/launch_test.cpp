// SPDX-License-Identifier: Apache-2.0
#include "tests/shim/sandbox_run.hpp"

#include <sys/stat.h>

using namespace aduana;
using namespace aduana::shim;
using namespace aduana::shim::testing;

namespace {

TEST(Launch, RunsTheCommandAsTheSandboxUserAndReturnsItsStatus)
{
    ADUANA_NEEDS_ROOT();
    SandboxRun sandbox;
    const Outcome outcome = sandbox.shell("id -u; id -un; id -G; exit 42");
    ASSERT_FALSE(outcome.error) << describe(*outcome.error);
    EXPECT_EQ(outcome.status, 42) << outcome.output;
    EXPECT_EQ(outcome.output, "61903\nsandbox\n61903\n");
}

} // namespace
