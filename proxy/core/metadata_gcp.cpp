// SPDX-License-Identifier: Apache-2.0
// A service account with one address that leads nowhere, and the placeholder for its token.
#include "proxy/core/metadata_services.hpp"

#include "certs/digest.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

namespace aduana::proxy {

namespace {

constexpr std::string_view email = policy::google_account;
constexpr std::string_view scope = "https://www.googleapis.com/auth/cloud-platform";
constexpr std::string_view flavor = "Metadata-Flavor";
constexpr std::string_view google = "Google";

MetadataAnswer not_found()
{
    return plain_answer(404, "there is nothing but a service account here\n");
}

boost::json::object account()
{
    return {{"aliases", boost::json::array{"default"}}, {"email", email}, {"scopes", boost::json::array{scope}}};
}

/// With `recursive=true` all that is below, else its names.
MetadataAnswer listing(const MetadataQuestion& question, const boost::json::object& below, std::string_view names)
{
    return query_value(question, "recursive") == "true" ? json_answer(200, below) : plain_answer(200, names);
}

MetadataAnswer token(const MetadataBinding& binding)
{
    return json_answer(
        200,
        {{"access_token", binding.values.at(0)}, {"expires_in", metadata_validity.count()}, {"token_type", "Bearer"}});
}

/// Libraries look into it for its end, so it has the shape of a JSON Web Token; the placeholder stands where the
/// signature would.
MetadataAnswer identity(const MetadataBinding& binding, const MetadataQuestion& question)
{
    const auto audience = query_value(question, "audience");
    if (!audience || audience->empty())
        return plain_answer(400, "non-empty audience parameter required\n");
    const auto now = question.now.time_since_epoch().count();
    const boost::json::object header{{"alg", "RS256"}, {"typ", "JWT"}};
    const boost::json::object claims{{"aud", *audience}, {"azp", email},
                                     {"email", email},   {"exp", now + metadata_validity.count()},
                                     {"iat", now},       {"iss", "https://aduana.invalid"},
                                     {"sub", email}};
    auto text = certs::to_base64url(boost::json::serialize(header)) + "." +
                certs::to_base64url(boost::json::serialize(claims)) + "." + binding.values.at(0);
    if (binding.values.at(0).size() % 4 == 1)
        text += 'A'; // no number of bytes has this length in base64
    return plain_answer(200, text);
}

/// `part` of an account.
MetadataAnswer part_of_account(std::string_view part, const MetadataBinding& binding, const MetadataQuestion& question)
{
    if (part.empty())
        return listing(question, account(), "aliases\nemail\nidentity\nscopes\ntoken\n");
    if (part == "aliases")
        return plain_answer(200, "default\n");
    if (part == "email")
        return plain_answer(200, email);
    if (part == "scopes")
        return plain_answer(200, std::string(scope) + "\n");
    if (part == "token")
        return token(binding);
    return part == "identity" ? identity(binding, question) : not_found();
}

/// `path`: below /computeMetadata/v1/instance/service-accounts.
MetadataAnswer accounts(std::string_view path, const MetadataBinding& binding, const MetadataQuestion& question)
{
    if (path.empty())
        return listing(question, {{"default", account()}, {email, account()}},
                       "default/\n" + std::string(email) + "/\n");
    path.remove_prefix(1);
    const auto name = path.substr(0, path.find('/'));
    if (name != "default" && name != email)
        return not_found();
    path.remove_prefix(name.size());
    return part_of_account(path.substr(path.empty() ? 0 : 1), binding, question);
}

MetadataAnswer ask(const MetadataBinding& binding, const MetadataQuestion& question)
{
    constexpr std::string_view root = "/computeMetadata/v1";
    constexpr std::string_view service_accounts = "/computeMetadata/v1/instance/service-accounts";
    if (is_forwarded(question))
        return plain_answer(403, "a request that was passed on is not answered\n");
    // Programs look here first, and some of them before they know what they should send.
    if (question.method == "GET" && question.path == "/")
        return plain_answer(200, "computeMetadata/\n");
    // The assertion is not looked at: a key that was thrown away has signed it.
    if (question.method == "POST" && question.path == policy::google_token_path)
        return token(binding);
    if (only_value(question.fields, flavor) != google)
        return plain_answer(403, "Metadata-Flavor: Google is missing from the request\n");
    const auto path = question.method == "GET" ? without_last_slash(question.path) : std::string_view();
    if (path == root)
        return plain_answer(200, "instance/\n");
    if (path == "/computeMetadata/v1/instance")
        return plain_answer(200, "service-accounts/\n");
    const auto below = path.starts_with(service_accounts) ? path.substr(service_accounts.size()) : "?";
    return below.empty() || below.front() == '/' ? accounts(below, binding, question) : not_found();
}

} // namespace

MetadataAnswer ask_gcp(const MetadataBinding& binding, const MetadataQuestion& question)
{
    auto answer = ask(binding, question);
    answer.head.fields.add(flavor, google);
    return answer;
}

} // namespace aduana::proxy
