// SPDX-License-Identifier: Apache-2.0
// The ways in which a stream of bytes can arrive: whole, byte by byte, and at random cuts from a fixed seed.
#pragma once

#include <cstddef>
#include <random>
#include <string_view>
#include <vector>

namespace aduana::test {

using Pieces = std::vector<std::string_view>;

inline constexpr int random_partitions = 32;

inline Pieces cut_at_random(std::string_view bytes, std::mt19937& random)
{
    Pieces pieces;
    std::uniform_int_distribution<std::size_t> length(1, 1 + bytes.size() / 3);
    while (!bytes.empty()) {
        const auto piece = bytes.substr(0, length(random));
        pieces.push_back(piece);
        bytes.remove_prefix(piece.size());
    }
    return pieces;
}

inline Pieces cut_every(std::string_view bytes, std::size_t length)
{
    Pieces pieces;
    for (; !bytes.empty(); bytes.remove_prefix(pieces.back().size()))
        pieces.push_back(bytes.substr(0, length));
    return pieces;
}

/// Views into `bytes`, which must outlive them.
inline std::vector<Pieces> partitions(std::string_view bytes)
{
    std::vector<Pieces> all{Pieces{bytes}, cut_every(bytes, 1)};
    std::mt19937 random(20240229);
    for (int i = 0; i < random_partitions; ++i)
        all.push_back(cut_at_random(bytes, random));
    return all;
}

} // namespace aduana::test
