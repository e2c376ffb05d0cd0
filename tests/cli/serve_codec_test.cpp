// SPDX-License-Identifier: Apache-2.0
// Messages of `aduana serve` survive the wire, and what is no message does not.
#include "cli/serve/codec.hpp"

#include <gtest/gtest.h>

namespace aduana::serve {
namespace {

const std::vector<Message> samples = {
    Open{"build-1", "policy.yaml", "npm install", "/var/lib/aduana/journal/2026-01-31-build-1.jsonl"},
    Opened{},
    Ended{"the task was ended", "detached"},
    List{},
    Tasks{{{"build-1", 42, 1'700'000'000'000'001, "policy.yaml", "npm install"}, {"t2", 43, 2, "", ""}}},
    Detach{"build-1"},
    Detached{},
    Failed{"no such task", "aduana ps lists them"},
    Locate{"build-1"},
    Located{"/var/lib/aduana/journal/2026-01-31-build-1.jsonl"},
};

TEST(ServeCodec, EveryMessageSurvives)
{
    ASSERT_EQ(samples.size(), std::variant_size_v<Message>);
    for (const auto& sample : samples) {
        SCOPED_TRACE(name_of(type_of(sample)));
        const auto frame = encode(sample, 7);
        const auto decoded = decode(frame.frame());
        ASSERT_TRUE(decoded) << describe(decoded.error());
        EXPECT_EQ(decoded->request, 7U);
        EXPECT_EQ(decoded->message.index(), sample.index());
        EXPECT_EQ(encode(decoded->message, 7).frame(), frame.frame());
    }
}

TEST(ServeCodec, AMessageThatIsCutAnywhereOrTooLongIsRefused)
{
    for (const auto& sample : samples) {
        SCOPED_TRACE(name_of(type_of(sample)));
        const auto writer = encode(sample, 7);
        const std::string frame(writer.frame());
        for (std::size_t length = 0; length < frame.size(); ++length)
            EXPECT_FALSE(decode(std::string_view(frame).substr(0, length))) << length;
        EXPECT_FALSE(decode(frame + '\0'));
    }
}

TEST(ServeCodec, LongTextsAreCutSoThatAFullListFits)
{
    const auto open = decode(encode(Open{"t", std::string(500, 'p'), std::string(500, 'c'), ""}, 1).frame());
    ASSERT_TRUE(open);
    EXPECT_EQ(std::get<Open>(open->message).policy_file.size(), max_text);
    const TaskRow longest{std::string(48, 't'), 1, 1, std::string(max_text, 'p'), std::string(max_text, 'c')};
    const auto full = encode(Tasks{std::vector<TaskRow>(max_tasks, longest)}, 1);
    ASSERT_FALSE(full.frame().empty());
    EXPECT_EQ(std::get<Tasks>(decode(full.frame())->message).rows.size(), max_tasks);
}

TEST(ServeCodec, APathIsWholeOrRefused)
{
    const std::string longest(max_path, 'j');
    const auto whole = decode(encode(Located{longest}, 1).frame());
    ASSERT_TRUE(whole) << describe(whole.error());
    EXPECT_EQ(std::get<Located>(whole->message).journal, longest);
    EXPECT_FALSE(decode(encode(Located{longest + "j"}, 1).frame()));
    EXPECT_FALSE(decode(encode(Open{"t", "", "", longest + "j"}, 1).frame()));
}

TEST(ServeCodec, AnUnknownTypeIsRefused)
{
    const wire::Writer odd(11, 1);
    const auto decoded = decode(odd.frame());
    ASSERT_FALSE(decoded);
    EXPECT_EQ(decoded.error().message, "message of unknown type 11");
}

} // namespace
} // namespace aduana::serve
