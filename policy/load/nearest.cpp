// SPDX-License-Identifier: Apache-2.0
// Edit distance (optimal string alignment) by rows.
#include "policy/load/nearest.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace aduana::policy::load {

namespace {

constexpr std::size_t most_edits = 2;

std::size_t distance(std::string_view left, std::string_view right)
{
    std::vector<std::size_t> before_last(right.size() + 1);
    std::vector<std::size_t> last(right.size() + 1);
    std::vector<std::size_t> row(right.size() + 1);
    for (std::size_t j = 0; j <= right.size(); ++j)
        last[j] = j;
    for (std::size_t i = 1; i <= left.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= right.size(); ++j) {
            const std::size_t replace = left[i - 1] == right[j - 1] ? 0 : 1;
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + replace});
            if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1])
                row[j] = std::min(row[j], before_last[j - 2] + 1);
        }
        std::swap(before_last, last);
        std::swap(last, row);
    }
    return last[right.size()];
}

} // namespace

std::optional<std::string_view> nearest(std::string_view word, std::span<const std::string_view> candidates)
{
    std::optional<std::string_view> best;
    std::size_t least = most_edits + 1;
    for (const auto candidate : candidates) {
        // Also a bound on the work: a key of a megabyte is near to nothing.
        if (word.size() < 3 || word.size() > candidate.size() + most_edits)
            continue;
        const auto edits = distance(word, candidate);
        if (edits < least) {
            least = edits;
            best = candidate;
        }
    }
    return best;
}

} // namespace aduana::policy::load
