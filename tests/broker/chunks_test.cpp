// SPDX-License-Identifier: Apache-2.0
// The streamed uploads that the documentation of S3 works out.
#include "broker/sign/chunks.hpp"

#include "broker/sign/digest.hpp"
#include "broker/sign/signer.hpp"

#include <gtest/gtest.h>

namespace aduana::broker {
namespace {

constexpr AwsKeyView key{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", ""};
const AwsScope scope{.time = "20130524T000000Z", .region = "us-east-1", .service = "s3"};

AwsRequest upload(std::string_view payload)
{
    return {.method = "PUT",
            .path = "/examplebucket/chunkObject.txt",
            .query = "",
            .fields = {{"Host", "s3.amazonaws.com"},
                       {"x-amz-storage-class", "REDUCED_REDUNDANCY"},
                       {"x-amz-content-sha256", payload},
                       {"Content-Encoding", "aws-chunked"},
                       {"x-amz-decoded-content-length", "66560"}},
            .payload = payload};
}

TEST(ChunkChain, FollowsFromTheSeedOfTheHead)
{
    auto request = upload("STREAMING-AWS4-HMAC-SHA256-PAYLOAD");
    request.fields.push_back({"Content-Length", "66824"});
    const auto head = sign_head(request, key, scope);
    EXPECT_EQ(head.signature, "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9");
    ChunkChain chain(scope, signing_key(scope, key.id, key.secret), head.signature);
    EXPECT_EQ(chain.next_chunk(sha256_hex(std::string(65536, 'a'))),
              "ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648");
    EXPECT_EQ(chain.next_chunk(sha256_hex(std::string(1024, 'a'))),
              "0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497");
    EXPECT_EQ(chain.next_chunk(empty_sha256), "b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9");
}

TEST(ChunkChain, EndsWithTheTrailer)
{
    auto request = upload("STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER");
    request.fields.push_back({"x-amz-trailer", "x-amz-checksum-crc32c"});
    const auto head = sign_head(request, key, scope);
    EXPECT_EQ(head.signature, "106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e");
    ChunkChain chain(scope, signing_key(scope, key.id, key.secret), head.signature);
    EXPECT_EQ(chain.next_chunk(sha256_hex(std::string(65536, 'a'))),
              "b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2");
    EXPECT_EQ(chain.next_chunk(sha256_hex(std::string(1024, 'a'))),
              "1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7");
    EXPECT_EQ(chain.next_chunk(empty_sha256), "2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992");
    EXPECT_EQ(chain.trailer("x-amz-checksum-crc32c:sOO8/Q==\n"),
              "d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435");
}

} // namespace
} // namespace aduana::broker
