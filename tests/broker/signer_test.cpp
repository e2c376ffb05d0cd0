// SPDX-License-Identifier: Apache-2.0
// The published vectors of Signature Version 4 and 4A, and what a signed request carries.
#include "broker/sign/signer.hpp"

#include "broker/sign/digest.hpp"
#include "broker/sign/sigv4a.hpp"
#include "tests/support/vectors.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace aduana::broker {
namespace {

constexpr std::string_view key_id = "AKIDEXAMPLE";
constexpr std::string_view secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
constexpr std::chrono::seconds lifetime{3600};

/// One row of tests/vectors/sign/requests.txt; views into the row.
struct Vector {
    AwsScope scope{.time = "20150830T123600Z", .region = "us-east-1", .service = "service"};
    PathForm form = PathForm::normalized;
    std::string token;
    std::string method;
    std::string path;
    std::string query;
    std::vector<std::pair<std::string, std::string>> fields;
    std::string payload;
    std::string canonical;
    std::string head_signature;
    std::string query_canonical_hash;
    std::string query_signature;

    [[nodiscard]] AwsRequest request() const
    {
        AwsRequest out{.method = method, .path = path, .query = query, .payload = payload};
        for (const auto& [name, value] : fields)
            out.fields.push_back({name, value});
        return out;
    }
    [[nodiscard]] AwsKeyView key() const { return {key_id, secret, token}; }
};

std::vector<std::string> lines_of(const std::string& text)
{
    std::vector<std::string> lines(1);
    for (const char byte : text) {
        if (byte == '\n')
            lines.emplace_back();
        else
            lines.back() += byte;
    }
    return lines;
}

void read_request(const std::string& text, Vector& out)
{
    auto lines = lines_of(text);
    const auto target_at = lines[0].find(' ') + 1;
    const auto target = lines[0].substr(target_at, lines[0].rfind(' ') - target_at);
    const auto mark = target.find('?');
    out.method = lines[0].substr(0, target_at - 1);
    out.path = target.substr(0, mark);
    out.query = mark == target.npos ? "" : target.substr(mark + 1);
    lines.erase(lines.begin());
    for (const auto& line : lines) {
        if (line.empty())
            return;
        if (line[0] == ' ') {
            out.fields.back().second += '\n' + line;
            continue;
        }
        const auto colon = line.find(':');
        out.fields.emplace_back(line.substr(0, colon), line.substr(colon + 1));
    }
}

std::string with_empty_hash(std::string text)
{
    const std::string_view mark = "{empty}";
    const auto at = text.find(mark);
    return at == text.npos ? text : text.replace(at, mark.size(), empty_sha256);
}

Vector vector_of(const test::Row& row)
{
    Vector out;
    out.scope.algorithm = row[0] == "sigv4" ? AwsAlgorithm::sigv4 : AwsAlgorithm::sigv4a;
    out.form = row[2] == "normalized" ? PathForm::normalized : PathForm::as_sent;
    out.token = row[3];
    read_request(row[4], out);
    out.payload = row[5].empty() ? std::string(empty_sha256) : row[5];
    out.canonical = with_empty_hash(row[6]);
    out.head_signature = row[7];
    out.query_canonical_hash = row[8];
    out.query_signature = row[9];
    return out;
}

std::string unhex(const std::string& text)
{
    std::string bytes;
    for (std::size_t i = 0; i < text.size(); i += 2)
        bytes += static_cast<char>(std::stoi(text.substr(i, 2), nullptr, 16));
    return bytes;
}

/// Of version 4: the same; of 4A: good for the text under the derived key.
void expect_signature(const Vector& vector, const std::string& text, const std::string& given)
{
    const auto key = signing_key(vector.scope, key_id, secret);
    if (vector.scope.algorithm == AwsAlgorithm::sigv4) {
        EXPECT_EQ(signature(vector.scope, key, text), given);
        return;
    }
    const auto public_key = sigv4a_public_key(key);
    EXPECT_TRUE(sigv4a_verify(public_key, text, unhex(given)));
    EXPECT_TRUE(sigv4a_verify(public_key, text, unhex(signature(vector.scope, key, text))));
    EXPECT_FALSE(sigv4a_verify(public_key, text + ".", unhex(given)));
}

std::string value_of(const SignedHead& head, std::string_view name)
{
    const auto found = std::ranges::find(head.fields, name, &SignatureField::name);
    return found == head.fields.end() ? std::string("absent") : std::string(found->value.reveal());
}

/// What the scope adds to the head, before it is signed.
AwsRequest with_head_fields(const Vector& vector)
{
    auto request = vector.request();
    if (vector.payload != empty_sha256)
        request.fields.push_back({"x-amz-content-sha256", vector.payload});
    request.fields.push_back({"X-Amz-Date", vector.scope.time});
    if (!vector.token.empty())
        request.fields.push_back({"X-Amz-Security-Token", vector.token});
    if (vector.scope.algorithm == AwsAlgorithm::sigv4a)
        request.fields.push_back({"X-Amz-Region-Set", vector.scope.region});
    return request;
}

std::string parameters_of(const Vector& vector)
{
    auto query = std::string(sign_query(vector.request(), vector.key(), vector.scope, lifetime).reveal());
    return query.substr(0, query.rfind("&X-Amz-Signature="));
}

TEST(Signer, PublishedHeadsAreSignedAlike)
{
    const auto rows = test::read_vectors("sign/requests.txt", 10);
    ASSERT_EQ(rows.size(), 76U);
    for (const auto& row : rows) {
        SCOPED_TRACE(row[0] + " " + row[1]);
        const auto vector = vector_of(row);
        const auto canonical = canonical_request(with_head_fields(vector), vector.form);
        EXPECT_EQ(canonical.text, vector.canonical);
        expect_signature(vector, string_to_sign(vector.scope, canonical.text), vector.head_signature);
    }
}

TEST(Signer, PublishedQueriesAreSignedAlike)
{
    for (const auto& row : test::read_vectors("sign/requests.txt", 10)) {
        SCOPED_TRACE(row[0] + " " + row[1]);
        const auto vector = vector_of(row);
        const auto query = parameters_of(vector);
        auto request = vector.request();
        request.query = query;
        const auto canonical = canonical_request(request, vector.form);
        EXPECT_EQ(sha256_hex(canonical.text), vector.query_canonical_hash) << canonical.text;
        expect_signature(vector, string_to_sign(vector.scope, canonical.text), vector.query_signature);
    }
}

TEST(Signer, TheHeadFormCarriesThePublishedSignature)
{
    for (const auto& row : test::read_vectors("sign/requests.txt", 10)) {
        const auto vector = vector_of(row);
        if (vector.form != PathForm::normalized || vector.scope.algorithm != AwsAlgorithm::sigv4)
            continue;
        SCOPED_TRACE(row[1]);
        auto request = vector.request();
        if (vector.payload != empty_sha256)
            request.fields.push_back({"x-amz-content-sha256", vector.payload});
        const auto head = sign_head(request, vector.key(), vector.scope);
        const auto names = canonical_request(with_head_fields(vector), vector.form).names;
        EXPECT_EQ(head.signature, vector.head_signature);
        EXPECT_EQ(value_of(head, "Authorization"),
                  "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=" +
                      names + ", Signature=" + vector.head_signature);
        EXPECT_EQ(value_of(head, "X-Amz-Date"), "20150830T123600Z");
        EXPECT_EQ(value_of(head, "X-Amz-Security-Token"), vector.token.empty() ? "absent" : vector.token);
        EXPECT_EQ(value_of(head, "X-Amz-Region-Set"), "absent");
    }
}

TEST(Signer, TheQueryFormCarriesItsParametersInTheirOrder)
{
    const AwsRequest request{.method = "GET",
                             .path = "/",
                             .query = "Param1=value1",
                             .fields = {{"Host", "example.amazonaws.com"}},
                             .payload = empty_sha256};
    const AwsScope scope{.time = "20150830T123600Z", .region = "us-east-1", .service = "service"};
    const auto query = sign_query(request, {key_id, secret, ""}, scope, lifetime);
    EXPECT_EQ(query.reveal(),
              "Param1=value1&X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIDEXAMPLE%2F20150830%2Fus-east-1%2F"
              "service%2Faws4_request&X-Amz-Date=20150830T123600Z&X-Amz-SignedHeaders=host&X-Amz-Expires=3600&"
              "X-Amz-Signature=49096700cbbaa5753443850f40df10f904fc2fdb544dc9512203cc77c471a9de");
}

TEST(Signer, ASessionTokenAndARegionSetTravelInTheQuery)
{
    const AwsRequest request{
        .method = "GET", .path = "/", .query = "", .fields = {{"Host", "a.example.com"}}, .payload = empty_sha256};
    const AwsScope scope{
        .algorithm = AwsAlgorithm::sigv4a, .time = "20150830T123600Z", .region = "eu-*", .service = "s3"};
    const auto query = std::string(sign_query(request, {key_id, secret, "a/b+c="}, scope, lifetime).reveal());
    EXPECT_NE(query.find("&X-Amz-Security-Token=a%2Fb%2Bc%3D&X-Amz-Region-Set=eu-%2A&X-Amz-Signature=30"), query.npos)
        << query;
    EXPECT_NE(query.find("X-Amz-Credential=AKIDEXAMPLE%2F20150830%2Fs3%2Faws4_request&"), query.npos);
}

} // namespace
} // namespace aduana::broker
