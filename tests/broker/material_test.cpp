// SPDX-License-Identifier: Apache-2.0
// Reading descriptors: files, pipes, what is too long, and what is no file.
#include "broker/shell/material.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace aduana::broker {
namespace {

UniqueFd memory_file(std::string_view text)
{
    UniqueFd file(::memfd_create("test", MFD_CLOEXEC));
    EXPECT_EQ(::write(file.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
    return file;
}

UniqueFd pipe_with(std::string_view text)
{
    int ends[2] = {-1, -1};
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    EXPECT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
    ::close(ends[1]);
    return UniqueFd(ends[0]);
}

Result<Material> read_with(UniqueFd source, std::string_view policy = "policy")
{
    TaskOpen request;
    request.credentials_file = "credentials.yaml";
    request.policy_file = "policy.yaml";
    request.file_sources = {"issues"};
    std::vector<UniqueFd> descriptors;
    descriptors.push_back(memory_file("credentials"));
    descriptors.push_back(memory_file(policy));
    descriptors.push_back(std::move(source));
    return read_material(request, descriptors);
}

std::string source_of(const Result<Material>& material)
{
    if (!material)
        return material.error().message;
    const auto& file = material->files.at(0);
    return file ? std::string(file->reveal()) : describe(file.error());
}

TEST(Material, HoldsWhatTheFilesHold)
{
    const auto material = read_with(memory_file("value\n"));
    ASSERT_TRUE(material);
    EXPECT_EQ(material->credentials_text, "credentials");
    EXPECT_EQ(material->policy_text, "policy");
    EXPECT_EQ(source_of(material), "value\n") << "the vault strips, the reader does not";
}

TEST(Material, AFileIsReadFromItsBeginningWithoutMovingIt)
{
    auto file = memory_file("value");
    const int other = ::dup(file.get());
    ::lseek(other, 3, SEEK_SET);
    EXPECT_EQ(source_of(read_with(std::move(file))), "value");
    EXPECT_EQ(::lseek(other, 0, SEEK_CUR), 3);
    ::close(other);
}

TEST(Material, APipeIsReadToItsEnd)
{
    EXPECT_EQ(source_of(read_with(pipe_with("value"))), "value");
    EXPECT_EQ(source_of(read_with(pipe_with(""))), "");
}

TEST(Material, TheLimitHoldsToTheByte)
{
    EXPECT_EQ(source_of(read_with(memory_file(std::string(max_source, 'x')))).size(), max_source);
    EXPECT_EQ(source_of(read_with(memory_file(std::string(max_source + 1, 'x')))),
              "it is longer than 65536 bytes; is this the right file?");
    const auto long_policy = read_with(memory_file("value"), std::string(max_text + 1, 'x'));
    ASSERT_FALSE(long_policy);
    EXPECT_EQ(describe(long_policy.error()), "policy.yaml: it is longer than 1048576 bytes; is this the right file?");
}

TEST(Material, AFolderOrADeviceIsNoSource)
{
    EXPECT_EQ(source_of(read_with(UniqueFd(::open("/", O_RDONLY | O_CLOEXEC)))),
              "it is neither a file nor a pipe; name a file");
    EXPECT_EQ(source_of(read_with(UniqueFd(::open("/dev/zero", O_RDONLY | O_CLOEXEC)))),
              "it is neither a file nor a pipe; name a file");
}

TEST(Material, AFileThatWasOpenedForWritingOnlyIsUnreadable)
{
    const auto path = std::filesystem::temp_directory_path() / ("material-" + std::to_string(::getpid()));
    std::ofstream(path) << "value";
    ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
    EXPECT_EQ(source_of(read_with(UniqueFd(::open(path.c_str(), O_WRONLY | O_CLOEXEC)))),
              "it cannot be read: Bad file descriptor; can the caller read it?");
    std::filesystem::remove(path);
}

TEST(Material, WarnsOfASourceThatEverybodyCanOpen)
{
    const auto path = std::filesystem::temp_directory_path() / ("material-" + std::to_string(::getpid()));
    std::ofstream(path) << "value-of-file";
    ASSERT_EQ(::chmod(path.c_str(), 0644), 0);
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    (void)read_with(UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC)));
    ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
    (void)read_with(UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC)));
    (void)read_with(memory_file("value"));
    const auto output = testing::internal::GetCapturedStdout() + testing::internal::GetCapturedStderr();
    std::filesystem::remove(path);
    const std::string warning = "credential 'issues': every user of this machine may open its source file";
    const auto first = output.find(warning);
    EXPECT_NE(first, std::string::npos) << output;
    EXPECT_EQ(output.find(warning, first + 1), std::string::npos) << "once, for the file with mode 0644 only";
    EXPECT_EQ(output.find("value"), std::string::npos);
}

TEST(Material, WhatKeepsTokensFollowsTheSources)
{
    TaskOpen request;
    request.file_sources = {"issues"};
    request.kept = {"api"};
    std::vector<UniqueFd> descriptors;
    for (const auto* text : {"credentials", "policy", "value", ""})
        descriptors.push_back(memory_file(text));
    const auto material = read_material(request, descriptors);
    ASSERT_TRUE(material);
    EXPECT_EQ(source_of(material), "value");
    ASSERT_TRUE(material->slots.contains("api"));
    EXPECT_TRUE(material->slots.at("api")->write(0, "box"));
}

TEST(Material, TheNumberOfDescriptorsMustFit)
{
    TaskOpen request;
    request.file_sources = {"issues"};
    std::vector<UniqueFd> descriptors;
    descriptors.push_back(memory_file("credentials"));
    const auto material = read_material(request, descriptors);
    ASSERT_FALSE(material);
    EXPECT_EQ(material.error().message, "TaskOpen came with 1 descriptors instead of 3");
}

} // namespace
} // namespace aduana::broker
