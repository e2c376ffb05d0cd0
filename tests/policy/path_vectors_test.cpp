// SPDX-License-Identifier: Apache-2.0
// The corpus of paths (tests/vectors/paths), judged by its policy. tests/e2e/paths_test.py sends the same spellings.
#include "policy/decide.hpp"
#include "tests/policy/load_cases.hpp"
#include "tests/support/vectors.hpp"

namespace aduana::policy {
namespace {

TEST(PathVectors, AreJudgedAsTheySayByTlsAndInTheClear)
{
    const std::string file = ADUANA_SOURCE_DIR "/tests/vectors/paths/policy.yaml";
    const auto policy = load_policy(testing::read_file(file), file);
    ASSERT_TRUE(policy) << to_text(policy.error());
    const auto host = *Host::parse("paths.test");
    const auto rows = test::read_vectors("paths/spellings.txt", 3);
    ASSERT_GE(rows.size(), 100U);
    for (const auto& row : rows) {
        SCOPED_TRACE(row[2] + ": " + row[1]);
        for (const auto scheme : {Scheme::https, Scheme::http}) {
            const Attempt attempt{scheme, host, default_port(scheme), "GET", row[2]};
            EXPECT_EQ(code_of(decide(*policy, attempt).reason), row[0]);
        }
    }
}

} // namespace
} // namespace aduana::policy
