// SPDX-License-Identifier: Apache-2.0
// The files of the sealed store: what is needed to put, and what is left to read.
#include "cli/secret_store.hpp"

#include "cli/installation.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>
#include <vector>

namespace aduana::cli {
namespace {

class Store : public testing::Test {
protected:
    Store()
    {
        std::string pattern = testing::TempDir() + "aduana-XXXXXX";
        folder_ = ::mkdtemp(pattern.data());
    }
    ~Store() override { std::filesystem::remove_all(folder_); }

    [[nodiscard]] SecretStore store() const { return SecretStore(folder_ + "/secrets"); }
    [[nodiscard]] std::string file(const std::string& name) const { return folder_ + "/secrets/" + name; }
    [[nodiscard]] Result<Ok> put(const std::string& name, std::string_view value) const
    {
        return store().put({name, {}, Secret::copy_of(value)});
    }
    [[nodiscard]] unsigned mode(const std::string& name) const
    {
        struct stat status {};
        return ::stat(file(name).c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
    }
    [[nodiscard]] Result<broker::SealedSecret> opened(const std::string& name) const
    {
        const auto key = read_file(file("store.key"), 100);
        const auto box = read_file(file(name + ".box"), 100000);
        if (!key || !box)
            return Error{"not there"};
        return broker::unseal(*box, name, *broker::read_store_keys(*key));
    }

    std::string folder_;
};

TEST_F(Store, TheFirstSecretMakesTheKeyPair)
{
    ASSERT_TRUE(put("issues", "hunter2"));
    EXPECT_EQ(mode("store.key"), 0400U);
    EXPECT_EQ(mode("store.pub"), 0644U);
    EXPECT_EQ(mode("issues.box"), 0600U);
    EXPECT_EQ(opened("issues")->value.reveal(), "hunter2");
}

TEST_F(Store, ManyWhoComeFirstAtTheSameTimeMakeOneKeyPair)
{
    for (int round = 0; round < 20; ++round) {
        std::filesystem::remove_all(folder_ + "/secrets");
        std::array<std::optional<Result<Ok>>, 8> made;
        std::vector<std::jthread> all;
        for (auto& one : made)
            all.emplace_back([this, &one] { one = store().ensure_keys(); });
        all.clear();
        for (const auto& one : made)
            ASSERT_TRUE(one && *one) << one->error().message;
        ASSERT_TRUE(put("issues", "hunter2"));
        EXPECT_TRUE(opened("issues"));
        const auto entries = std::filesystem::directory_iterator(folder_ + "/secrets");
        EXPECT_EQ(std::distance(begin(entries), end(entries)), 3) << "nothing else is left";
    }
}

TEST_F(Store, OnlyThePublicKeyIsNeededToPut)
{
    ASSERT_TRUE(put("one", "first"));
    const auto key = *read_file(file("store.key"), 100);
    std::filesystem::remove(file("store.key"));
    ASSERT_TRUE(put("two", "second"));
    std::ofstream(file("store.key")) << key;
    EXPECT_EQ(opened("two")->value.reveal(), "second");
}

TEST_F(Store, AnotherPublicKeyIsNotMadeUpWhereThePrivateOneIs)
{
    ASSERT_TRUE(put("one", "first"));
    std::filesystem::remove(file("store.pub"));
    ASSERT_TRUE(put("two", "second"));
    EXPECT_EQ(opened("one")->value.reveal(), "first");
    EXPECT_EQ(opened("two")->value.reveal(), "second");
}

TEST_F(Store, PutReplacesAndRemoveRemoves)
{
    ASSERT_TRUE(put("issues", "old"));
    ASSERT_TRUE(put("issues", "new"));
    ASSERT_TRUE(put("a", "b"));
    EXPECT_EQ(opened("issues")->value.reveal(), "new");
    const auto listed = store().list();
    ASSERT_TRUE(listed);
    ASSERT_EQ(listed->size(), 2U);
    EXPECT_EQ(listed->at(0).name, "a");
    EXPECT_EQ(listed->at(1).name, "issues");
    EXPECT_EQ(listed->at(1).stored.size(), std::string_view("2026-01-31T12:00:00Z").size());
    ASSERT_TRUE(store().remove("issues"));
    EXPECT_FALSE(store().open_box("issues"));
    const auto again = store().remove("issues");
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().message, "there is no secret issues in " + folder_ + "/secrets");
}

TEST_F(Store, NamesStayInTheFolder)
{
    for (const std::string name : {"", "../a", "a/b", ".a", "-a", "A", "a b"}) {
        EXPECT_FALSE(put(name, "value")) << name;
        EXPECT_FALSE(store().remove(name)) << name;
    }
    EXPECT_FALSE(std::filesystem::exists(folder_ + "/secrets"));
}

TEST_F(Store, AnEmptyStoreListsNothing)
{
    const auto listed = store().list();
    ASSERT_TRUE(listed);
    EXPECT_TRUE(listed->empty());
}

} // namespace
} // namespace aduana::cli
