// SPDX-License-Identifier: Apache-2.0
// A journal in a folder of the test's own, its keys, and ways to look at it and to spoil it.
#pragma once

#include "audit/journal.hpp"
#include "audit/verify.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace aduana::audit {

inline constexpr Micros noon = 1'782'907'200'000'000; // 2026-07-01T12:00:00Z

inline std::string content_of(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_file(const std::string& path, const std::string& content)
{
    std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

inline std::vector<std::string> lines_of(const std::string& text)
{
    std::vector<std::string> lines;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size() - 1);
        lines.push_back(text.substr(begin, end + 1 - begin));
        begin = end + 1;
    }
    return lines;
}

inline certs::SigningKey same_key(const certs::SigningKey& key)
{
    return certs::SigningKey::from_seed(key.seed().reveal()).value();
}

inline RequestStart start_of(std::uint64_t id)
{
    return {.id = id,
            .rule = "issues",
            .method = "GET",
            .scheme = "https",
            .host = "api.example.com",
            .port = 443,
            .path = "/v1/issues",
            .credential = "issues-api",
            .lease = "l1"};
}

inline Request request_of(std::uint64_t id)
{
    Request request;
    request.id = id;
    request.decision = "intercept";
    request.reason = "allowed";
    request.rule = "issues";
    request.method = "GET";
    request.scheme = "https";
    request.host = "api.example.com";
    request.port = 443;
    request.path = "/v1/issues";
    request.status = 200;
    return request;
}

class SampleJournal {
public:
    explicit SampleJournal(const std::string& task = "demo")
        : installation(certs::SigningKey::generate()), task_key(certs::SigningKey::generate()), task_(task)
    {
        folder_ = ::mkdtemp(name_.data());
        auto made = create_journal(
            folder_, task, noon, installation, task_key,
            {.policy_sha256 = std::string(64, 'a'), .command = "npm install", .labels = {{"team", "web"}}});
        EXPECT_TRUE(made) << (made ? "" : made.error().message);
        path = made->path;
        writer_ = std::make_unique<JournalWriter>(std::move(made->file), std::move(made->head), task,
                                                  same_key(task_key), made->state, JournalWriter::Flush::process);
    }
    ~SampleJournal() { std::filesystem::remove_all(folder_); }
    SampleJournal(const SampleJournal&) = delete;
    SampleJournal& operator=(const SampleJournal&) = delete;

    [[nodiscard]] JournalWriter& writer() { return *writer_; }
    [[nodiscard]] const std::string& folder() const { return folder_; }
    [[nodiscard]] std::string text() const { return content_of(path); }
    [[nodiscard]] std::string head() const { return content_of(head_path_of(path)); }
    void append(const Event& event) { writer_->append(event, noon + 1'000'000); }
    void commit() { ASSERT_TRUE(writer_->commit()); }

    /// Six lines, sealed.
    void fill()
    {
        append(PolicyLoad{std::string(64, 'a'), 2, 1});
        append(start_of(1));
        append(request_of(1));
        append(Dns{"tracker.test", "A", "synthetic"});
        append(TaskEnd{0, "exited", {}, 1});
        commit();
    }

    [[nodiscard]] Verification verify() const { return verify_journal(text(), head(), installation.verifying_key()); }
    [[nodiscard]] Result<Ok> mend(Micros now = noon + 9'000'000) const
    {
        UniqueFd file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
        UniqueFd head_file(::open(head_path_of(path).c_str(), O_RDWR | O_CLOEXEC));
        return mend_journal(std::move(file), std::move(head_file), task_, same_key(task_key),
                            {.exit_status = 137, .cause = "proxy-died"}, "the proxy died", now);
    }

    certs::SigningKey installation;
    certs::SigningKey task_key;
    std::string path;

private:
    std::string name_ = testing::TempDir() + "aduana-journal-XXXXXX";
    std::string task_;
    std::string folder_;
    std::unique_ptr<JournalWriter> writer_;
};

} // namespace aduana::audit
