// SPDX-License-Identifier: Apache-2.0
// Finding task records.
#include "cli/records.hpp"

#include "cli/installation.hpp"

#include <algorithm>
#include <filesystem>

namespace aduana::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view ending = ".dsse.json";
constexpr std::size_t max_record = std::size_t{64} << 20; ///< a record lists the files that came out

Result<audit::RecordedEnd> end_in(const std::string& path, const certs::VerifyingKey& key)
{
    const auto envelope = read_file(path, max_record);
    if (!envelope)
        return envelope.error();
    const auto statement = audit::open_envelope(*envelope, key);
    if (!statement)
        return statement.error();
    return audit::recorded_end(*statement);
}

} // namespace

std::string record_path(const std::string& folder, const std::string& journal)
{
    return folder + "/" + fs::path(journal).stem().string() + std::string(ending);
}

RecordFile read_record(const std::string& path, const certs::VerifyingKey& key)
{
    return {path, end_in(path, key)};
}

std::vector<RecordFile> records_in(const std::string& folder, const certs::VerifyingKey& key)
{
    std::vector<RecordFile> records;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        auto path = entry.path().string();
        if (path.ends_with(ending))
            records.push_back(read_record(path, key));
    }
    std::ranges::sort(records, {}, &RecordFile::path);
    return records;
}

const RecordFile* record_of(const std::vector<RecordFile>& records, const std::string& journal,
                            const audit::Verification& verified)
{
    const auto name = fs::path(journal).filename();
    const auto expected = fs::path(record_path("", journal)).filename();
    const auto called_alike = [&](const RecordFile& record) { return fs::path(record.path).filename() == expected; };
    const auto names_it = [&](const RecordFile& record) {
        return record.end && fs::path(record.end->journal).filename() == name;
    };
    auto found = std::ranges::find_if(records, called_alike);
    if (found == records.end())
        found = std::ranges::find_if(records, names_it);
    return found == records.end() ? record_ending_as(records, verified) : &*found;
}

const RecordFile* record_ending_as(const std::vector<RecordFile>& records, const audit::Verification& verified)
{
    const auto found = std::ranges::find_if(records, [&](const RecordFile& record) {
        return record.end && !verified.last_hash.empty() && record.end->hash == verified.last_hash;
    });
    return found == records.end() ? nullptr : &*found;
}

} // namespace aduana::cli
