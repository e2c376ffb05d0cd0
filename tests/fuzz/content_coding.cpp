// SPDX-License-Identifier: Apache-2.0
// Coded bodies of a hostile server: bounded, the same at any cut, and never a secret in what comes out. Input: the
// coding, the length of the pieces, the body.
#include "proxy/core/body_filter.hpp"

#include <algorithm>
#include <cstdlib>

namespace {

using namespace aduana;
using namespace aduana::proxy;

constexpr std::string_view secret = "secret-token";

void require(bool holds)
{
    if (!holds)
        std::abort();
}

struct Result {
    bool failed = false;
    std::string out;
};

Result filter(ContentCoding coding, const ScrubSet& set, std::string_view body, std::size_t piece_size)
{
    BodyFilter filter(coding, set);
    Result result;
    do {
        auto piece = body.substr(0, piece_size);
        body.remove_prefix(piece.size());
        const auto last = body.empty() ? BodyFilter::Last::yes : BodyFilter::Last::no;
        auto state = BodyFilter::State::again;
        while (state == BodyFilter::State::again) {
            const auto left = piece.size();
            const auto before = result.out.size();
            state = filter.next(piece, last, result.out);
            require(state != BodyFilter::State::again || piece.size() < left || result.out.size() != before ||
                    left == 0);
        }
        require(state == BodyFilter::State::failed || piece.empty());
        result.failed = state == BodyFilter::State::failed;
    } while (!result.failed && !body.empty());
    return result;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size < 2)
        return 0;
    constexpr ContentCoding codings[] = {ContentCoding::identity, ContentCoding::gzip, ContentCoding::deflate,
                                         ContentCoding::brotli, ContentCoding::zstd};
    const auto coding = codings[data[0] % 5];
    const std::string_view body(reinterpret_cast<const char*>(data) + 2, size - 2);
    static const auto value = Secret::copy_of(secret);
    static const auto set = ScrubSet::of({&value});
    const auto whole = filter(coding, set, body, body.size() + 1);
    require(whole.out.find(secret) == std::string::npos);
    require(whole.out.size() <= free_inflation + most_inflation * (body.size() + 1) + 32 * 1024);
    const auto cut = filter(coding, set, body, 1U + data[1]);
    require(cut.failed == whole.failed);
    if (!cut.failed)
        require(cut.out == whole.out);
    return 0;
}
