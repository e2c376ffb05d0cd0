// SPDX-License-Identifier: Apache-2.0
// Tokens that are signed here, by each algorithm.
#include "tests/broker/mint.hpp"
#include "tests/broker/signed.hpp"
#include "tests/support/vectors.hpp"

namespace aduana::broker {
namespace {

using namespace mint;

TEST(SelfMinted, SignsTheClaimsWithTimesAndAnIdOfItsOwn)
{
    const std::map<std::string, policy::SignatureAlgorithm> algorithms{{"HS256", policy::SignatureAlgorithm::hs256},
                                                                       {"RS256", policy::SignatureAlgorithm::rs256},
                                                                       {"ES256", policy::SignatureAlgorithm::es256},
                                                                       {"EdDSA", policy::SignatureAlgorithm::eddsa}};
    for (const auto& row : test::read_vectors("signed_statements.txt", 5)) {
        SCOPED_TRACE(row[0]);
        const World world;
        policy::JwtSource source{{{}, algorithms.at(row[0]), "k\"1"}, {}, std::chrono::minutes(10)};
        source.claims = {{"iss", {"a\"b"}}, {"aud", {"x", "y"}, true}, {"one", {"z"}, true}};
        const auto issuer = issuer_of(source, {{"key", row[1]}});
        const auto issued = step_of<Issued>(issuer->begin(world.context()));
        EXPECT_EQ(issued.lifetime, std::chrono::minutes(10));
        const auto statement = taken_apart(token_of(issued));
        EXPECT_EQ(statement.header, R"({"alg":")" + row[0] + R"(","typ":"JWT","kid":"k\"1"})");
        EXPECT_EQ(statement.payload, R"({"iss":"a\"b","aud":["x","y"],"one":["z"],"iat":1772366370,"exp":1772367000,)"
                                     R"("jti":"AAECAwQFBgcICQoLDA0ODw"})");
        const auto again = taken_apart(token_of(step_of<Issued>(issuer->begin(world.context()))));
        EXPECT_NE(again.payload, statement.payload);
        EXPECT_FALSE(issuer->revoke(issued.value, world.context()));
    }
}

TEST(MakeIssuer, LeavesSourcesThatAreTheValueAlone)
{
    const auto file = make_issuer(policy::FileSource{"/a"}, {});
    ASSERT_TRUE(file);
    EXPECT_EQ(*file, nullptr);
    const auto variable = make_issuer(policy::EnvironmentSource{"A"}, {});
    ASSERT_TRUE(variable);
    EXPECT_EQ(*variable, nullptr);
}

} // namespace
} // namespace aduana::broker
