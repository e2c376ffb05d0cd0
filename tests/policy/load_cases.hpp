// SPDX-License-Identifier: Apache-2.0
// Reads tests/vectors/load/*.cases: files for the loader and the exact text that it says about them.
#pragma once

#include "policy/load/load.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace aduana::policy::testing {

struct LoadCase {
    std::string file;
    std::string sentence;
    std::map<std::string, std::string> parts; ///< "policy", "credentials", "operator", "says"
};

inline std::string read_file(const std::filesystem::path& path)
{
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

/// What is hard to see or long is written as <1b> (a byte in hexadecimal) or <x*40> (a character 40 times).
inline std::string expand(std::string_view line)
{
    constexpr std::string_view hexadecimal = "0123456789abcdef";
    std::string out;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const auto end = line[i] == '<' ? line.find('>', i) : line.npos;
        const auto inside = end == line.npos ? std::string_view() : line.substr(i + 1, end - i - 1);
        const bool byte = inside.size() == 2 && inside.find_first_not_of(hexadecimal) == inside.npos;
        if (byte)
            out.push_back(static_cast<char>(std::stoi(std::string(inside), nullptr, 16)));
        else if (inside.size() > 2 && inside[1] == '*')
            out.append(std::stoul(std::string(inside.substr(2))), inside[0]);
        else
            out.push_back(line[i]);
        if (byte || (inside.size() > 2 && inside[1] == '*'))
            i = end;
    }
    return out;
}

/// Blank lines belong to no part.
inline std::vector<LoadCase> read_cases(const std::filesystem::path& path)
{
    std::vector<LoadCase> cases;
    std::istringstream lines(read_file(path));
    std::string* part = nullptr;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("=== ")) {
            cases.push_back({path.filename().string(), line.substr(4), {}});
            part = nullptr;
        } else if (line.starts_with("@") && !cases.empty()) {
            part = &cases.back().parts[line.substr(1)];
        } else if (part && !line.empty()) {
            *part += expand(line) + "\n";
        }
    }
    return cases;
}

inline std::vector<LoadCase> all_cases()
{
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(ADUANA_SOURCE_DIR "/tests/vectors/load"))
        files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    std::vector<LoadCase> cases;
    for (const auto& file : files) {
        auto more = read_cases(file);
        cases.insert(cases.end(), more.begin(), more.end());
    }
    return cases;
}

template <class T>
std::vector<LoadError> errors_of(const Loaded<T>& loaded)
{
    return loaded ? std::vector<LoadError>() : loaded.error();
}

/// Loads every part that the case has; a policy and credentials that load are held against each other.
inline std::vector<LoadError> run(const LoadCase& test)
{
    const auto part = [&test](const char* name) {
        const auto found = test.parts.find(name);
        return found == test.parts.end() ? std::string("version: 1\n") : found->second;
    };
    const auto policy = load_policy(part("policy"), "policy.yaml");
    const auto credentials = load_credentials(part("credentials"), "credentials.yaml");
    auto errors = errors_of(policy);
    for (const auto& more :
         {errors_of(credentials), errors_of(load_operator_settings(part("operator"), "aduana.yaml"))})
        errors.insert(errors.end(), more.begin(), more.end());
    if (policy && credentials && test.parts.contains("credentials")) {
        const auto bindings = check_bindings(*policy, part("policy"), "policy.yaml", *credentials);
        errors.insert(errors.end(), bindings.begin(), bindings.end());
    }
    return errors;
}

} // namespace aduana::policy::testing
