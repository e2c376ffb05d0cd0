// SPDX-License-Identifier: Apache-2.0
// The head form and the query form of a signature.
#include "broker/sign/signer.hpp"

#include "broker/sign/digest.hpp"

namespace aduana::broker {
namespace {

struct Made {
    std::string names;
    std::string signature;
};

Made make(const AwsRequest& request, const AwsKeyView& key, const AwsScope& scope)
{
    auto canonical = canonical_request(request, path_form_of(scope.service));
    const auto text = string_to_sign(scope, canonical.text);
    // The session token may be in it.
    wipe(canonical.text);
    return {std::move(canonical.names), signature(scope, signing_key(scope, key.id, key.secret), text)};
}

void append(std::string& query, std::string_view name, std::string_view value)
{
    if (!query.empty())
        query += '&';
    query.append(name).append(1, '=').append(percent_encoded(value));
}

std::string credential_of(const AwsKeyView& key, const AwsScope& scope)
{
    return std::string(key.id) + '/' + credential_scope(scope);
}

} // namespace

SignedHead sign_head(const AwsRequest& request, const AwsKeyView& key, const AwsScope& scope)
{
    SignedHead out;
    auto covered = request;
    const auto add = [&](std::string_view name, std::string_view value) {
        covered.fields.push_back({name, value});
        out.fields.push_back({std::string(name), Secret::copy_of(value)});
    };
    add("X-Amz-Date", scope.time);
    if (!key.session_token.empty())
        add("X-Amz-Security-Token", key.session_token);
    if (scope.algorithm == AwsAlgorithm::sigv4a)
        add("X-Amz-Region-Set", scope.region);
    auto made = make(covered, key, scope);
    const auto authorization = std::string(name_of(scope.algorithm)) + " Credential=" + credential_of(key, scope) +
                               ", SignedHeaders=" + made.names + ", Signature=" + made.signature;
    out.fields.push_back({"Authorization", Secret::copy_of(authorization)});
    out.signature = std::move(made.signature);
    return out;
}

Secret sign_query(const AwsRequest& request, const AwsKeyView& key, const AwsScope& scope,
                  std::chrono::seconds lifetime)
{
    std::string query(request.query);
    append(query, "X-Amz-Algorithm", name_of(scope.algorithm));
    append(query, "X-Amz-Credential", credential_of(key, scope));
    append(query, "X-Amz-Date", scope.time);
    append(query, "X-Amz-SignedHeaders", canonical_request(request, PathForm::as_sent).names);
    append(query, "X-Amz-Expires", std::to_string(lifetime.count()));
    if (!key.session_token.empty())
        append(query, "X-Amz-Security-Token", key.session_token);
    if (scope.algorithm == AwsAlgorithm::sigv4a)
        append(query, "X-Amz-Region-Set", scope.region);
    auto covered = request;
    covered.query = query;
    const auto made = make(covered, key, scope);
    append(query, "X-Amz-Signature", made.signature);
    auto out = Secret::copy_of(query);
    wipe(query);
    return out;
}

} // namespace aduana::broker
