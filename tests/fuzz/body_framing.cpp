// SPDX-License-Identifier: Apache-2.0
// However a body is cut, it has the same payload and the same end; and its payload, framed anew, reads as itself.
// The first byte chooses the kind of body, the second the length of the pieces.
#include "proxy/core/body.hpp"

#include <cstdlib>

namespace {

using namespace aduana::proxy;

struct Read {
    std::string payload;
    std::size_t consumed = 0;
    bool ended = false;
    bool invalid = false;
    friend bool operator==(const Read&, const Read&) = default;
};

void require(bool holds)
{
    if (!holds)
        std::abort();
}

Read read_in_pieces(BodyLength length, std::string_view bytes, std::size_t piece_size)
{
    BodyReader reader(length);
    Read read;
    read.ended = reader.ended();
    while (!bytes.empty() && !read.ended && !read.invalid) {
        auto piece = bytes.substr(0, piece_size);
        bytes.remove_prefix(piece.size());
        while (!piece.empty() && !read.ended && !read.invalid) {
            const auto step = reader.next(piece);
            require(step.consumed > 0 && step.consumed <= piece.size() && step.payload.size() <= step.consumed);
            require(!(step.ended && step.invalid));
            read.payload.append(step.payload);
            read.consumed += step.consumed;
            read.ended = step.ended;
            read.invalid = step.invalid;
            piece.remove_prefix(step.consumed);
        }
    }
    read.ended = read.ended || (!read.invalid && reader.end_of_stream());
    return read;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size < 2)
        return 0;
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
    const BodyLength length{static_cast<BodyLength::Kind>(data[0] % 4), data[0] / 4U};
    const auto whole = read_in_pieces(length, bytes, bytes.size() + 1);
    require(whole == read_in_pieces(length, bytes, 1));
    require(whole == read_in_pieces(length, bytes, data[1] + 1U));
    if (whole.payload.empty())
        return 0;

    std::string framed;
    append_chunk_head(framed, whole.payload.size());
    framed.append(whole.payload).append("\r\n").append("0\r\n\r\n");
    const auto again = read_in_pieces({BodyLength::Kind::chunked, 0}, framed, framed.size());
    require(again.ended && again.payload == whole.payload && again.consumed == framed.size());
    return 0;
}
