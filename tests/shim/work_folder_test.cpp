// SPDX-License-Identifier: Apache-2.0
// What a look before and a look after see of a folder.
#include "sandbox-shim/apply/work_folder.hpp"

#include "policy/base/fd.hpp"
#include "tests/shim/sandbox_run.hpp"

#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

using namespace aduana;
using namespace aduana::shim;
using namespace aduana::shim::testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

namespace {

std::vector<std::string> paths_of(const std::vector<FileStamp>& files)
{
    std::vector<std::string> paths;
    for (const FileStamp& file : files)
        paths.push_back(file.path);
    return paths;
}

TEST(ChangedFiles, AreNewOnesAndOnesWithAnotherStamp)
{
    const FolderScan before = {
        {{"a", 1, 10, 10, 1}, {"b", 1, 10, 10, 2}, {"c", 1, 10, 10, 3}, {"gone", 1, 10, 10, 4}}, {}, true};
    const FolderScan after = {
        {{"a", 1, 10, 10, 1}, {"b", 2, 10, 10, 2}, {"c", 1, 10, 11, 3}, {"new", 1, 10, 10, 5}}, {}, true};
    EXPECT_THAT(paths_of(changed_files(before, after)), ElementsAre("b", "c", "new"));
    EXPECT_THAT(changed_files(after, after), IsEmpty());
}

class WorkFolder : public ::testing::Test {
protected:
    void write(const std::string& name, const std::string& text) { std::ofstream(folder.path() + "/" + name) << text; }
    TemporaryFolder folder;
};

TEST_F(WorkFolder, ListsFilesButNotWhatLinksLeadTo)
{
    (void)folder.make("sub/deep");
    write("sub/deep/file", "x");
    write("top", "x");
    std::filesystem::create_symlink("/etc/passwd", folder.path() + "/link");
    std::filesystem::create_directory_symlink("/etc", folder.path() + "/folder");
    ASSERT_EQ(::mkfifo((folder.path() + "/fifo").c_str(), 0600), 0);
    const auto scan = scan_work_folder(folder.path());
    ASSERT_TRUE(scan) << describe(scan.error());
    EXPECT_THAT(paths_of(scan->files), ElementsAre("sub/deep/file", "top"));
    EXPECT_TRUE(scan->complete);
}

TEST_F(WorkFolder, IsEmptyIfItIsASingleFile)
{
    write("file", "x");
    const auto scan = scan_work_folder(folder.path() + "/file");
    ASSERT_TRUE(scan) << describe(scan.error());
    EXPECT_THAT(scan->files, IsEmpty());
    EXPECT_TRUE(scan->complete);
}

TEST_F(WorkFolder, ReportsSockets)
{
    const std::string path = folder.path() + "/agent";
    const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM, 0));
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    ASSERT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_THAT(scan_work_folder(folder.path())->sockets, ElementsAre("agent"));
}

TEST_F(WorkFolder, HashesWhatWasMadeOrChanged)
{
    write("kept", "same");
    write("changed", "old");
    const auto before = scan_work_folder(folder.path());
    ASSERT_TRUE(before);
    write("changed", "abc");
    write("made", "");
    const FilesOut out = files_out(folder.path(), *before);
    EXPECT_TRUE(out.complete);
    ASSERT_EQ(out.files.size(), 2U);
    EXPECT_EQ(out.files[0].path, "changed");
    EXPECT_EQ(out.files[0].size, 3U);
    EXPECT_EQ(out.files[0].sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(out.files[1].path, "made");
    EXPECT_EQ(out.files[1].sha256, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST_F(WorkFolder, SaysWhenThereIsTooMuchToHash)
{
    const auto before = scan_work_folder(folder.path());
    write("big", "");
    std::filesystem::resize_file(folder.path() + "/big", (std::uintmax_t{1} << 30) + 1);
    const FilesOut out = files_out(folder.path(), *before);
    EXPECT_FALSE(out.complete);
    EXPECT_THAT(out.files, IsEmpty());
}

TEST_F(WorkFolder, SaysWhenTheFolderIsDeeperThanItLooks)
{
    std::string path = "d";
    for (int depth = 0; depth < 140; ++depth)
        path += "/d";
    (void)folder.make(path);
    EXPECT_FALSE(scan_work_folder(folder.path())->complete);
}

TEST_F(WorkFolder, IsAnErrorWhereThereIsNone)
{
    const auto scan = scan_work_folder(folder.path() + "/gone");
    ASSERT_FALSE(scan);
    EXPECT_EQ(scan.error().message, "cannot look into " + folder.path() + "/gone: No such file or directory");
}

} // namespace
