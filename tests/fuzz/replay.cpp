// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target over kept inputs: every file of every folder that the command line names.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

/// How many files were run; 0 for a folder that is missing or empty, which would make the test pass by itself.
std::size_t replay(const fs::path& folder)
{
    std::vector<fs::path> files;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error))
        if (entry.is_regular_file())
            files.push_back(entry.path());
    std::ranges::sort(files);
    for (const fs::path& file : files) {
        std::printf("%s\n", file.c_str());
        std::fflush(stdout); // the last line names the input that aborts
        std::ifstream stream(file, std::ios::binary);
        const std::vector<char> bytes{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    }
    return files.size();
}

} // namespace

int main(int argc, char** argv)
{
    if (argc < 2) {
        std::fprintf(stderr, "usage: %s FOLDER...\n", argv[0]);
        return 2;
    }
    for (int i = 1; i < argc; ++i) {
        if (replay(argv[i]) == 0) {
            std::fprintf(stderr, "%s: no inputs in %s; add at least one seed\n", argv[0], argv[i]);
            return 1;
        }
    }
    return 0;
}
