// SPDX-License-Identifier: Apache-2.0
// Overrides: every spelling that some framework obeys, and none that merely looks like one.
#include "proxy/core/overrides.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace aduana::proxy {
namespace {

std::string found(std::string_view method, std::string_view query, const std::vector<Field>& fields = {})
{
    RequestHead head;
    head.method = method;
    for (const auto& field : fields)
        head.fields.add(field.name, field.value);
    return std::string(find_override(head, query).value_or("nothing"));
}

TEST(Overrides, AreFoundInEachFieldThatServersObey)
{
    for (const std::string_view name :
         {"X-HTTP-Method-Override", "x-http-method-override", "X_HTTP_METHOD_OVERRIDE", "X-HTTP-Method",
          "X-Method-Override",      "X-Original-Method",      "X-Original-URL",         "x-original-url",
          "X_Original_URL",         "X-Rewrite-URL",          "X-Override-URL",         "X-Original-URI",
          "X-Rewrite-URI",          "X-Forwarded-Method",     "X-Forwarded-Uri",        "X-Forwarded-URL",
          "X-Forwarded-Path",       "X-Forwarded-Prefix",     "X-HTTP-Path-Override",   "X-Original-Path",
          "X-WAWS-Unencoded-URL",   "X-Envoy-Original-Path"}) {
        EXPECT_TRUE(is_override(name)) << name;
        EXPECT_EQ(found("GET", "", {{"Accept", "*/*"}, {name, "DELETE"}}), name);
    }
}

TEST(Overrides, AreNotSeenInOtherFields)
{
    for (const std::string_view name :
         {"X-HTTP", "X-Method", "Method", "X-Original", "X-HTTP-Method-Overrides", "X-Forwarded-For",
          "X-Forwarded-Proto", "X-Requested-With", "Access-Control-Request-Method"}) {
        EXPECT_FALSE(is_override(name)) << name;
        EXPECT_EQ(found("GET", "", {{name, "DELETE"}}), "nothing") << name;
    }
}

TEST(Overrides, AreNoneWhereTheMethodIsTheSame)
{
    EXPECT_EQ(found("DELETE", "", {{"X-HTTP-Method-Override", "DELETE"}}), "nothing");
    EXPECT_EQ(found("DELETE", "", {{"X-HTTP-Method-Override", "delete"}}), "nothing");
    EXPECT_EQ(found("DELETE", "", {{"X-HTTP-Method-Override", "PUT"}}), "X-HTTP-Method-Override");
    EXPECT_EQ(found("GET", "?_method=GET"), "nothing");
    EXPECT_EQ(found("GET", "", {{"X-Original-URL", "GET"}}), "X-Original-URL") << "a path is always another one";
}

TEST(Overrides, AreFoundInEverySpellingOfAParameter)
{
    for (const std::string_view query :
         {"?_method=DELETE", "?a=1&_method=DELETE", "?_method=DELETE&a=1", "?a=1;_method=DELETE", "?_METHOD=delete",
          "?%5fmethod=DELETE", "?%5Fm%65thod=DELETE", "?_method=%44ELETE", "?.method=DELETE", "?+_method=DELETE",
          "?%20_method=DELETE", "?[method=DELETE", "?_method[]=DELETE", "?_method%5B0%5D=DELETE", "?_method%00x=DELETE",
          "?-method=DELETE", "?_method", "?_method=", "?_method=GET&_method=DELETE"})
        EXPECT_EQ(found("GET", query), "_method") << query;
    EXPECT_EQ(found("POST", "?X-HTTP-Method-Override=PUT"), "X-HTTP-Method-Override");
    EXPECT_EQ(found("POST", "?x_http_method=PUT"), "X-HTTP-Method");
}

TEST(Overrides, AreNotSeenInOtherParameters)
{
    for (const std::string_view query :
         {"", "?", "?method=DELETE", "?_methods=DELETE", "?x=_method", "?x=_method=DELETE", "?a_method=DELETE",
          "?_metho=d", "?a[_method]=DELETE", "?%5=x", "?%", "?&&;;", "?%255fmethod=DELETE"})
        EXPECT_EQ(found("GET", query), "nothing") << query;
}

} // namespace
} // namespace aduana::proxy
