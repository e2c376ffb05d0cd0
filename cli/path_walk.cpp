// SPDX-License-Identifier: Apache-2.0
// Resolving a path as the kernel does, and remembering the way.
#include "cli/path_walk.hpp"

#include <filesystem>

namespace aduana::cli {

namespace {

namespace fs = std::filesystem;

constexpr int most_links = 40;

class Walk {
public:
    explicit Walk(const fs::path& absolute) { put_before(absolute); }

    [[nodiscard]] bool at_end() const { return steps_.empty(); }
    [[nodiscard]] Way way() const
    {
        auto way = way_;
        if (way.entries.empty() || way.entries.back() != here_)
            way.entries.push_back(here_.string());
        return way;
    }

    /// The error's message is a predicate: "leads through ...".
    Result<Ok> step()
    {
        const auto step = std::move(steps_.back());
        steps_.pop_back();
        if (step.empty() || step == ".")
            return Ok{};
        if (step == ".." || step.is_absolute()) {
            here_ = step == ".." ? here_.parent_path() : step;
            return Ok{};
        }
        auto entry = here_ / step;
        way_.entries.push_back(entry.string());
        std::error_code error;
        if (fs::symlink_status(entry, error).type() == fs::file_type::symlink)
            return follow(entry);
        here_ = std::move(entry);
        return Ok{};
    }

private:
    Result<Ok> follow(const fs::path& link)
    {
        if (++links_ > most_links)
            return Error{"leads through more than 40 symbolic links"};
        way_.links.push_back(link.string());
        std::error_code error;
        put_before(fs::read_symlink(link, error));
        if (error)
            return Error{"leads through " + link.string() + ", which cannot be read: " + error.message()};
        return Ok{};
    }
    void put_before(const fs::path& path)
    {
        const std::vector<fs::path> parts(path.begin(), path.end());
        steps_.insert(steps_.end(), parts.rbegin(), parts.rend());
    }

    std::vector<fs::path> steps_; ///< still to go, the next one last
    fs::path here_ = "/";
    Way way_;
    int links_ = 0;
};

Error unknown(const std::string& path, const std::string& why)
{
    return {path + " " + why, "name the file itself, without symbolic links"};
}

} // namespace

Result<Way> walk(const std::string& path)
{
    std::error_code error;
    const auto absolute = fs::absolute(path, error);
    if (error)
        return unknown(path, "cannot be resolved: " + error.message());
    Walk walk(absolute);
    while (!walk.at_end()) {
        if (const auto stepped = walk.step(); !stepped)
            return unknown(path, stepped.error().message);
    }
    return walk.way();
}

bool lies_in(const std::string& path, const std::string& folder)
{
    return path == folder || path.starts_with(folder.ends_with('/') ? folder : folder + "/");
}

bool lies_below(const std::string& path, const std::string& folder)
{
    return path != folder && lies_in(path, folder);
}

} // namespace aduana::cli
