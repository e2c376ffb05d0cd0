// SPDX-License-Identifier: Apache-2.0
// The spellings that the published vectors leave out: escapes, S3's own paths, blanks in queries.
#include "broker/sign/canonical.hpp"

#include <gtest/gtest.h>

namespace aduana::broker {
namespace {

std::string line(std::size_t index, std::string_view path, std::string_view query, PathForm form)
{
    auto text = canonical_request({.method = "GET", .path = path, .query = query, .payload = "x"}, form).text;
    for (; index > 0; --index)
        text.erase(0, text.find('\n') + 1);
    return text.substr(0, text.find('\n'));
}

std::string path_line(std::string_view path, PathForm form)
{
    return line(1, path, "", form);
}

std::string query_line(std::string_view query)
{
    return line(2, "/", query, PathForm::as_sent);
}

TEST(Canonical, APathOfS3IsEncodedOnceAndKeepsItsSegments)
{
    constexpr auto s3 = PathForm::as_sent;
    EXPECT_EQ(path_line("/bucket//a/./b/../c", s3), "/bucket//a/./b/../c");
    EXPECT_EQ(path_line("/a%20b", s3), "/a%20b");
    EXPECT_EQ(path_line("/a%2fb", s3), "/a%2Fb");
    EXPECT_EQ(path_line("/a+b(c)", s3), "/a%2Bb%28c%29");
    EXPECT_EQ(path_line("/50%", s3), "/50%25");
    EXPECT_EQ(path_line("/%zz", s3), "/%25zz");
    EXPECT_EQ(path_line("/%7Euser", s3), "/~user");
    EXPECT_EQ(path_line("/", s3), "/");
    EXPECT_EQ(path_line("/a/", s3), "/a/");
}

TEST(Canonical, AnyOtherPathIsNormalizedAndEncodedAgain)
{
    constexpr auto other = PathForm::normalized;
    EXPECT_EQ(path_line("/a%20b", other), "/a%2520b");
    EXPECT_EQ(path_line("//a//b/", other), "/a/b/");
    EXPECT_EQ(path_line("/a/..", other), "/");
    EXPECT_EQ(path_line("/../..", other), "/");
    EXPECT_EQ(path_line("/a/b/.", other), "/a/b/");
    EXPECT_EQ(path_line("", other), "/");
}

TEST(Canonical, AQueryIsSortedByItsEncodedBytes)
{
    EXPECT_EQ(query_line("b=2&a=1&a=0&A=3"), "A=3&a=0&a=1&b=2");
    EXPECT_EQ(query_line("acl"), "acl=");
    EXPECT_EQ(query_line("a=b=c"), "a=b%3Dc");
    EXPECT_EQ(query_line("a=x+y%20z%2B"), "a=x%20y%20z%2B");
    EXPECT_EQ(query_line("&&a=1&"), "a=1");
    EXPECT_EQ(query_line("prefix=a/b&prefix=a%2fb"), "prefix=a%2Fb&prefix=a%2Fb");
}

TEST(Canonical, OnlyStorageKeepsItsPaths)
{
    EXPECT_EQ(path_form_of("s3"), PathForm::as_sent);
    EXPECT_EQ(path_form_of("s3express"), PathForm::as_sent);
    EXPECT_EQ(path_form_of("sts"), PathForm::normalized);
    EXPECT_EQ(path_form_of("execute-api"), PathForm::normalized);
}

TEST(Canonical, FieldsAreFoldedJoinedAndInOrder)
{
    const auto canonical = canonical_request({.method = "PUT",
                                              .path = "/",
                                              .query = "",
                                              .fields = {{"X-Amz-Meta-B", "  two \t  words "},
                                                         {"host", "h"},
                                                         {"x-amz-meta-a", ""},
                                                         {"x-amz-meta-b", "again"}},
                                              .payload = "UNSIGNED-PAYLOAD"},
                                             PathForm::as_sent);
    EXPECT_EQ(canonical.names, "host;x-amz-meta-a;x-amz-meta-b");
    EXPECT_EQ(canonical.text, "PUT\n/\n\nhost:h\nx-amz-meta-a:\nx-amz-meta-b:two words,again\n\n"
                              "host;x-amz-meta-a;x-amz-meta-b\nUNSIGNED-PAYLOAD");
}

} // namespace
} // namespace aduana::broker
