// SPDX-License-Identifier: Apache-2.0
// One state for each part of the coding; a line is read whole, however it is cut.
#include "proxy/core/aws_chunked.hpp"

#include "proxy/core/grammar.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace aduana::proxy {

namespace {

constexpr std::string_view line_end = "\r\n";
constexpr std::string_view chunk_extension = ";chunk-signature=";
constexpr std::string_view trailer_signature = "x-amz-trailer-signature";
constexpr std::size_t signature_size = 64;
/// Sixteen digits are more than any size that is accepted.
constexpr std::size_t max_size_line = 16 + chunk_extension.size() + signature_size + line_end.size();

bool is_signature(std::string_view text)
{
    return text.size() == signature_size && std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
           });
}

std::optional<std::size_t> chunk_size(std::string_view digits)
{
    std::size_t size = 0;
    const auto* const end = digits.data() + digits.size();
    const auto [stopped, error] = std::from_chars(digits.data(), end, size, 16);
    if (error != std::errc() || stopped != end || size > AwsChunkedBody::max_chunk)
        return std::nullopt;
    return size;
}

std::string lower_case(std::string_view text)
{
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return out;
}

std::string_view trimmed(std::string_view text)
{
    const auto begin = std::min(text.find_first_not_of(" \t"), text.size());
    text.remove_prefix(begin);
    return text.substr(0, text.find_last_not_of(" \t") + 1);
}

} // namespace

bool AwsChunkedBody::feed(std::string_view bytes, std::string& out)
{
    while (!bytes.empty() && state_ != State::broken)
        state_ = take(bytes, out);
    return state_ != State::broken;
}

AwsChunkedBody::State AwsChunkedBody::take(std::string_view& bytes, std::string& out)
{
    switch (state_) {
    case State::size:
        return take_size(bytes, out);
    case State::data:
        return take_data(bytes);
    case State::data_end:
        return take_data_end(bytes, out);
    case State::trailer:
        return take_trailer(bytes, out);
    case State::complete: // bytes after the end
    case State::broken:
        break;
    }
    return State::broken;
}

/// True once `line_` holds a whole line; a line longer than `most` is never whole.
bool AwsChunkedBody::take_line(std::string_view& bytes, std::size_t most)
{
    while (!bytes.empty() && line_.size() < most) {
        line_ += bytes.front();
        bytes.remove_prefix(1);
        if (line_.ends_with(line_end))
            return true;
    }
    return false;
}

AwsChunkedBody::State AwsChunkedBody::take_size(std::string_view& bytes, std::string& out)
{
    if (!take_line(bytes, max_size_line))
        return line_.size() < max_size_line ? State::size : State::broken;
    const auto line = std::string_view(line_).substr(0, line_.size() - line_end.size());
    const auto extension = std::min(line.find(';'), line.size());
    const auto size = chunk_size(line.substr(0, extension));
    if (!size || !line.substr(extension).starts_with(chunk_extension) ||
        !is_signature(line.substr(extension + chunk_extension.size())))
        return State::broken;
    size_ = line.substr(0, extension);
    line_.clear();
    missing_ = *size;
    if (*size != 0)
        return State::data;
    out.append(size_).append(chunk_extension).append(chain_.next_chunk(broker::empty_sha256)).append(line_end);
    return State::trailer;
}

AwsChunkedBody::State AwsChunkedBody::take_data(std::string_view& bytes)
{
    const auto part = bytes.substr(0, missing_);
    data_.append(part);
    bytes.remove_prefix(part.size());
    missing_ -= part.size();
    return missing_ == 0 ? State::data_end : State::data;
}

AwsChunkedBody::State AwsChunkedBody::take_data_end(std::string_view& bytes, std::string& out)
{
    if (!take_line(bytes, line_end.size()))
        return line_.size() < line_end.size() ? State::data_end : State::broken;
    line_.clear();
    out.append(size_).append(chunk_extension).append(chain_.next_chunk(broker::sha256_hex(data_))).append(line_end);
    out.append(data_).append(line_end);
    data_.clear();
    return State::size;
}

AwsChunkedBody::State AwsChunkedBody::take_trailer(std::string_view& bytes, std::string& out)
{
    const auto most = max_trailer - trailer_lines_.size();
    if (!take_line(bytes, most))
        return line_.size() < most ? State::trailer : State::broken;
    const auto whole = std::exchange(line_, {});
    const auto line = std::string_view(whole).substr(0, whole.size() - line_end.size());
    if (line.empty()) {
        out.append(line_end);
        return trailer_signed_ == (trailer_ == Trailer::is_signed) ? State::complete : State::broken;
    }
    const auto colon = std::min(line.find(':'), line.size());
    const auto name = lower_case(line.substr(0, colon));
    // The signature is the last line, and there is no line where none was announced.
    if (trailer_ == Trailer::none || trailer_signed_ || colon == line.size() || !is_token(name))
        return State::broken;
    const auto value = line.substr(colon + 1);
    if (name == trailer_signature) {
        if (!is_signature(value))
            return State::broken;
        trailer_signed_ = true;
        out.append(line.substr(0, colon + 1)).append(chain_.trailer(trailer_lines_)).append(line_end);
        return State::trailer;
    }
    trailer_lines_.append(name).append(1, ':').append(trimmed(value)).append(1, '\n');
    out.append(whole);
    return State::trailer;
}

} // namespace aduana::proxy
