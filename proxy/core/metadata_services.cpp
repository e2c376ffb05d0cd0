// SPDX-License-Identifier: Apache-2.0
// What the answers of all metadata services have in common.
#include "proxy/core/metadata_services.hpp"

#include "proxy/core/parameters.hpp"

#include <boost/json/serialize.hpp>

namespace aduana::proxy {

namespace {

std::string_view phrase_of(int status)
{
    switch (status) {
    case 200:
        return "OK";
    case 400:
        return "Bad Request";
    case 401:
        return "Unauthorized";
    case 403:
        return "Forbidden";
    default:
        return "Not Found";
    }
}

MetadataAnswer answer_of(int status, std::string_view type, std::string body)
{
    MetadataAnswer answer;
    answer.head.status = status;
    answer.head.reason_phrase = phrase_of(status);
    answer.head.fields.add("Content-Type", type);
    answer.head.fields.add("Cache-Control", "no-store");
    answer.body = std::move(body);
    return answer;
}

} // namespace

MetadataAnswer plain_answer(int status, std::string_view body)
{
    return answer_of(status, "text/plain", std::string(body));
}

MetadataAnswer json_answer(int status, const boost::json::object& body)
{
    return answer_of(status, "application/json", boost::json::serialize(body));
}

std::optional<std::string_view> only_value(const Fields& fields, std::string_view name)
{
    return fields.count(name) == 1 ? fields.find(name) : std::nullopt;
}

bool is_forwarded(const MetadataQuestion& question)
{
    return question.fields.count("X-Forwarded-For") != 0;
}

std::optional<std::string> query_value(const MetadataQuestion& question, std::string_view name)
{
    std::optional<std::string> found;
    for_each_parameter(question.query, [&](std::string_view key, std::string_view value) {
        if (!found && form_decoded(key) == name)
            found = form_decoded(value);
    });
    return found;
}

std::string_view without_last_slash(std::string_view path)
{
    return path.size() > 1 && path.ends_with('/') ? path.substr(0, path.size() - 1) : path;
}

} // namespace aduana::proxy
