// SPDX-License-Identifier: Apache-2.0
// Bodies in AWS's chunked coding: however they are cut, the same bytes come out, as many as went in, and only the
// digits of signatures differ; what is fed a second time comes out the same.
#include "proxy/core/aws_chunked.hpp"

#include <cstdlib>
#include <optional>

using namespace aduana;

namespace {

void require(bool holds)
{
    if (!holds)
        std::abort();
}

proxy::AwsChunkedBody body(proxy::AwsChunkedBody::Trailer trailer)
{
    broker::AwsScope scope{.time = "20130524T000000Z", .region = "us-east-1", .service = "s3"};
    return {trailer, {std::move(scope), Secret::copy_of("key"), "seed"}};
}

struct Result {
    bool sound = true;
    bool complete = false;
    std::string out;
};

Result run(proxy::AwsChunkedBody::Trailer trailer, std::string_view bytes, std::size_t step)
{
    auto parser = body(trailer);
    Result result;
    while (result.sound && !bytes.empty()) {
        const auto piece = bytes.substr(0, step);
        result.sound = parser.feed(piece, result.out);
        bytes.remove_prefix(piece.size());
    }
    result.complete = parser.complete();
    return result;
}

bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

void check(proxy::AwsChunkedBody::Trailer trailer, std::string_view bytes, std::size_t step)
{
    const auto whole = run(trailer, bytes, bytes.size() + 1);
    const auto cut = run(trailer, bytes, step);
    require(whole.sound == cut.sound && whole.complete == cut.complete && whole.out == cut.out);
    require(whole.out.size() <= bytes.size());
    for (std::size_t i = 0; i < whole.out.size(); ++i)
        require(whole.out[i] == bytes[i] || (is_hex(whole.out[i]) && is_hex(bytes[i])));
    if (!whole.sound || !whole.complete)
        return;
    require(whole.out.size() == bytes.size());
    const auto again = run(trailer, whole.out, step);
    require(again.sound && again.complete && again.out == whole.out);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size < 1)
        return 0;
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    const std::size_t step = 1 + data[0] % 16;
    check(proxy::AwsChunkedBody::Trailer::none, bytes, step);
    check(proxy::AwsChunkedBody::Trailer::is_signed, bytes, step);
    return 0;
}
