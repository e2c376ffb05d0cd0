// SPDX-License-Identifier: Apache-2.0
// A new journal: two files that appear only when their first line is written and sealed.
#include "audit/journal.hpp"

#include "audit/file_io.hpp"
#include "audit/time.hpp"
#include "certs/digest.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string>

namespace aduana::audit {
namespace {

constexpr std::size_t max_task_name = 128; // with date and suffix far below NAME_MAX
constexpr std::string_view journal_suffix = ".jsonl";

/// The task's name becomes part of a file name: no separators, nothing hidden, nothing that a shell would expand.
bool is_task_name(std::string_view task)
{
    const auto allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
               c == '.';
    };
    return !task.empty() && task.size() <= max_task_name && task.front() != '.' &&
           std::all_of(task.begin(), task.end(), allowed);
}

/// A file without its final name yet; removed unless it gets one.
class NewFile {
public:
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;
    explicit NewFile(const std::string& directory)
        : temporary_path_(directory + "/" + certs::to_hex(certs::random_bytes(8)) + ".new")
    {
    }
    ~NewFile() { ::unlink(temporary_path_.c_str()); }

    /// 0, or errno.
    [[nodiscard]] int open(int flags)
    {
        fd_.reset(::open(temporary_path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW | flags, 0640));
        // The group may read whatever the caller's umask is: auditors are not root.
        return fd_ && ::fchmod(fd_.get(), 0640) == 0 ? 0 : errno;
    }
    /// 0, or errno: EEXIST if there is such a file, which is left alone.
    [[nodiscard]] int appear_as(const std::string& path) const
    {
        return ::link(temporary_path_.c_str(), path.c_str()) == 0 ? 0 : errno;
    }
    [[nodiscard]] UniqueFd& fd() { return fd_; }
    [[nodiscard]] const std::string& temporary_path() const { return temporary_path_; }

private:
    std::string temporary_path_;
    UniqueFd fd_;
};

Error cannot_make(const std::string& path, int error)
{
    return {"the journal " + path + " cannot be made: " + error_text(error), "choose another folder with --journal"};
}

/// 0, or errno.
int make_directory(const std::string& directory)
{
    const auto parent = std::filesystem::path(directory).parent_path();
    std::error_code error;
    if (!parent.empty())
        std::filesystem::create_directories(parent, error);
    if (error)
        return error.value();
    return ::mkdir(directory.c_str(), 0750) == 0 || errno == EEXIST ? 0 : errno;
}

/// 0, or errno. The head first: a journal without its head would look cut, a head without its journal is nothing.
int let_appear(const NewFile& file, const NewFile& head, const std::string& path)
{
    const std::string head_path = head_path_of(path);
    if (const int error = head.appear_as(head_path))
        return error;
    const int error = file.appear_as(path);
    if (error != 0)
        ::unlink(head_path.c_str());
    return error;
}

/// A task that runs a second time on the same day gets a journal of its own: "DAY-TASK.2.jsonl" and so on.
std::string numbered_path(const std::string& stem, unsigned run)
{
    return stem + (run == 1 ? "" : "." + std::to_string(run)) + std::string(journal_suffix);
}

Result<std::string> let_appear(const NewFile& file, const NewFile& head, const std::string& directory,
                               const std::string& name)
{
    constexpr unsigned most = 100'000;
    const std::string stem = directory + "/" + name;
    for (unsigned run = 1; run <= most; ++run) {
        std::string path = numbered_path(stem, run);
        const int error = let_appear(file, head, path);
        if (error == 0)
            return path;
        if (error != EEXIST)
            return cannot_make(path, error);
    }
    return Error{"the task \"" + name + "\" has " + std::to_string(most) + " journals in " + directory,
                 "give it another name with --task"};
}

/// The same key twice: one for the writer of the first line, one stays the caller's.
Result<certs::SigningKey> copy_of(const certs::SigningKey& key)
{
    return certs::SigningKey::from_seed(key.seed().reveal());
}

} // namespace

std::string head_path_of(std::string_view journal_path)
{
    if (journal_path.ends_with(journal_suffix))
        journal_path.remove_suffix(journal_suffix.size());
    return std::string(journal_path) + ".head";
}

Result<NewJournal> create_journal(const std::string& directory, const std::string& task, Micros now,
                                  const certs::SigningKey& installation, const certs::SigningKey& task_key,
                                  TaskStart start)
{
    if (!is_task_name(task))
        return Error{"the task's name \"" + task.substr(0, max_task_name) + "\" cannot name a journal",
                     "use 1 to 128 letters, digits, '-', '_' and '.', not beginning with '.'"};
    if (const int error = make_directory(directory))
        return cannot_make(directory, error);

    const std::string name = format_time(now).substr(0, 10) + "-" + task;
    NewFile file(directory);
    NewFile head(directory);
    if (const int error = file.open(O_APPEND))
        return cannot_make(file.temporary_path(), error);
    if (const int error = head.open(0))
        return cannot_make(head.temporary_path(), error);

    start.task_key = certs::to_base64(certs::view_of(task_key.verifying_key().bytes()));
    start.installation_key_id = installation.verifying_key().key_id();
    start.certificate = certs::to_base64(certs::view_of(installation.sign(task_key_statement(task, start.task_key))));
    auto writer_key = copy_of(task_key);
    if (!writer_key)
        return writer_key.error();
    JournalWriter writer(UniqueFd(::dup(file.fd().get())), UniqueFd(::dup(head.fd().get())), task,
                         std::move(*writer_key), {}, JournalWriter::Flush::process);
    writer.append(start, now);
    if (const auto written = writer.commit(); !written)
        return written.error();
    const auto path = let_appear(file, head, directory, name);
    if (!path)
        return path.error();
    return NewJournal{*path, std::move(file.fd()), std::move(head.fd()), writer.state()};
}

} // namespace aduana::audit
