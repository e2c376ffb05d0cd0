// SPDX-License-Identifier: Apache-2.0
// The spellings of one value that every encoding has something to do with, as Python's library writes them.
#include "proxy/core/spellings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace aduana::proxy {
namespace {

const std::string value = R"#(aZ9/+=\"<&>'~ *%y)#";

bool is_spelled(std::string_view expected)
{
    const auto all = spellings_of(value);
    return std::any_of(all.begin(), all.end(), [&](const Spelling& spelling) { return spelling.bytes == expected; });
}

TEST(Spellings, AreWhatOthersWrite)
{
    struct Case {
        const char* why;
        std::string expected;
    };
    const Case cases[] = {
        {"raw", R"#(aZ9/+=\"<&>'~ *%y)#"},
        {"lower case", R"#(az9/+=\"<&>'~ *%y)#"},
        {"upper case", R"#(AZ9/+=\"<&>'~ *%Y)#"},
        {"backwards", R"#(y%* ~'>&<"\=+/9Za)#"},
        {"base64 behind 0 bytes", R"#(YVo5Lys9XCI8Jj4nfiAqJX)#"},
        {"base64 of base64 behind 0", R"#(WVZvNUx5czlYQ0k4Smo0bmZpQXFKW)#"},
        {"percent-encoded base64 behind 0", R"#(YVo5Lys9XCI8Jj4nfiAqJX)#"},
        {"the same in lower case", R"#(YVo5Lys9XCI8Jj4nfiAqJX)#"},
        {"base64url behind 0 bytes", R"#(YVo5Lys9XCI8Jj4nfiAqJX)#"},
        {"base64 behind 1 bytes", R"#(FaOS8rPVwiPCY+J34gKiV5)#"},
        {"base64 of base64 behind 1", R"#(RmFPUzhyUFZ3aVBDWStKMzRnS2lWN)#"},
        {"percent-encoded base64 behind 1", R"#(FaOS8rPVwiPCY%2BJ34gKiV5)#"},
        {"the same in lower case", R"#(FaOS8rPVwiPCY%2bJ34gKiV5)#"},
        {"base64url behind 1 bytes", R"#(FaOS8rPVwiPCY-J34gKiV5)#"},
        {"base64 behind 2 bytes", R"#(hWjkvKz1cIjwmPid+ICole)#"},
        {"base64 of base64 behind 2", R"#(aFdqa3ZLejFjSWp3bVBpZCtJQ29sZ)#"},
        {"percent-encoded base64 behind 2", R"#(hWjkvKz1cIjwmPid%2BICole)#"},
        {"the same in lower case", R"#(hWjkvKz1cIjwmPid%2bICole)#"},
        {"base64url behind 2 bytes", R"#(hWjkvKz1cIjwmPid-ICole)#"},
        {"hex", R"#(615a392f2b3d5c223c263e277e202a2579)#"},
        {"HEX", R"#(615A392F2B3D5C223C263E277E202A2579)#"},
        {"hex with blanks", R"#(61 5a 39 2f 2b 3d 5c 22 3c 26 3e 27 7e 20 2a 25 79)#"},
        {"HEX with colons", R"#(61:5A:39:2F:2B:3D:5C:22:3C:26:3E:27:7E:20:2A:25:79)#"},
        {"percent, RFC 3986", R"#(aZ9%2F%2B%3D%5C%22%3C%26%3E%27~%20%2A%25y)#"},
        {"percent in lower case, RFC 3986", R"#(aZ9%2f%2b%3d%5c%22%3c%26%3e%27~%20%2a%25y)#"},
        {"percent, encodeURIComponent", R"#(aZ9%2F%2B%3D%5C%22%3C%26%3E'~%20*%25y)#"},
        {"percent in lower case, encodeURIComponent", R"#(aZ9%2f%2b%3d%5c%22%3c%26%3e'~%20*%25y)#"},
        {"percent, encodeURI", R"#(aZ9/+=%5C%22%3C&%3E'~%20*%25y)#"},
        {"percent in lower case, encodeURI", R"#(aZ9/+=%5c%22%3c&%3e'~%20*%25y)#"},
        {"form", R"#(aZ9%2F%2B%3D%5C%22%3C%26%3E%27%7E+*%25y)#"},
        {"percent throughout", R"#(%61%5A%39%2F%2B%3D%5C%22%3C%26%3E%27%7E%20%2A%25%79)#"},
        {"percent throughout, lower", R"#(%61%5a%39%2f%2b%3d%5c%22%3c%26%3e%27%7e%20%2a%25%79)#"},
        {"JSON", R"#(aZ9/+=\\\"<&>'~ *%y)#"},
        {"JSON with \\/", R"#(aZ9\/+=\\\"<&>'~ *%y)#"},
        {"JSON for HTML", R"#(aZ9/\u002b=\\\"\u003c\u0026\u003e\u0027~ *%y)#"},
        {"JSON throughout",
         R"#(\u0061\u005a\u0039\u002f\u002b\u003d\u005c\u0022\u003c\u0026\u003e\u0027\u007e\u0020\u002a\u0025\u0079)#"},
        {"JSON throughout, upper",
         R"#(\u0061\u005A\u0039\u002F\u002B\u003D\u005C\u0022\u003C\u0026\u003E\u0027\u007E\u0020\u002A\u0025\u0079)#"},
        {"html.escape", R"#(aZ9/+=\&quot;&lt;&amp;&gt;&#x27;~ *%y)#"},
        {"XML", R"#(aZ9/+=\"&lt;&amp;&gt;'~ *%y)#"},
        {"HTML of Go", R"#(aZ9/+=\&#34;&lt;&amp;&gt;&#39;~ *%y)#"},
        {"XML attribute", R"#(aZ9/+=\&quot;&lt;&amp;&gt;&apos;~ *%y)#"},
        {"decimal entities",
         R"#(&#97;&#90;&#57;&#47;&#43;&#61;&#92;&#34;&#60;&#38;&#62;&#39;&#126;&#32;&#42;&#37;&#121;)#"},
        {"hex entities",
         R"#(&#x61;&#x5a;&#x39;&#x2f;&#x2b;&#x3d;&#x5c;&#x22;&#x3c;&#x26;&#x3e;&#x27;&#x7e;&#x20;&#x2a;&#x25;&#x79;)#"},
        {"hex entities, upper",
         R"#(&#x61;&#x5A;&#x39;&#x2F;&#x2B;&#x3D;&#x5C;&#x22;&#x3C;&#x26;&#x3E;&#x27;&#x7E;&#x20;&#x2A;&#x25;&#x79;)#"},
    };
    for (const auto& test : cases)
        EXPECT_TRUE(is_spelled(test.expected)) << test.why << ": " << test.expected;
}

TEST(Spellings, HaveBothByteOrdersOfUtf16)
{
    std::string little;
    std::string big;
    for (const char c : value) {
        little.append({c, '\0'});
        big.append({'\0', c});
    }
    EXPECT_TRUE(is_spelled(little));
    EXPECT_TRUE(is_spelled(big));
}

TEST(Spellings, AreDifferentFromEachOther)
{
    for (const auto& one : {value, std::string("ghp_0123456789abcdefABCDEF"), std::string("12345678")}) {
        std::set<std::string> seen;
        for (const auto& spelling : spellings_of(one))
            EXPECT_TRUE(seen.insert(spelling.bytes).second) << spelling.bytes;
        EXPECT_GE(seen.size(), 20U);
    }
}

TEST(Spellings, OfBase64AndHexMayBeWrapped)
{
    std::size_t wrapped = 0;
    for (const auto& spelling : spellings_of("plain-value-12"))
        wrapped += spelling.wraps ? 1U : 0U;
    EXPECT_EQ(wrapped, 14U) << "three of base64, two of hex, nine of base64 in base64";
}

TEST(Spellings, OfAValueWithEscapesInItAreThoseWithoutThem)
{
    const auto has = [](std::string_view value, std::string_view spelling) {
        const auto all = spellings_of(value);
        return std::ranges::find(all, spelling, &Spelling::bytes) != all.end();
    };
    EXPECT_TRUE(has("pw-p%40ss&lt;word", "pw-p@ss<word"));
    EXPECT_TRUE(has("pw-p%2540ss-word", "pw-p%40ss-word"));
    EXPECT_TRUE(has("pw-p%2540ss-word", "pw-p@ss-word"));
}

TEST(Spellings, OfShortValuesAreNotSearchedFor)
{
    EXPECT_TRUE(spellings_of("1234567").empty());
    EXPECT_TRUE(spellings_of("").empty());
}

TEST(Spellings, OfBytesThatAreNoTextHaveNoHoles)
{
    std::string all;
    for (int i = 0; i < 256; ++i)
        all.push_back(static_cast<char>(i));
    for (const auto& spelling : spellings_of(all))
        EXPECT_GE(spelling.bytes.size(), all.size()) << spelling.bytes;
}

} // namespace
} // namespace aduana::proxy
