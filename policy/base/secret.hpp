// SPDX-License-Identifier: Apache-2.0
// Bytes that nobody may see by accident.
#pragma once

#include <cstddef>
#include <string_view>

namespace aduana {

/// Owns the bytes of one secret in locked memory that is left out of core dumps, and wipes them when it ends.
/// Move-only; no stream operator, no comparison, no conversion to a string. `reveal()` is the only way to the bytes,
/// so that `grep reveal` lists every place that handles them.
class Secret {
public:
    Secret() = default;

    /// Copies `bytes`; the caller wipes its own copy (see `wipe`). Aborts the process if locked memory is exhausted:
    /// a secret is never kept in memory that could be swapped or dumped.
    [[nodiscard]] static Secret copy_of(std::string_view bytes);

    Secret(Secret&& other) noexcept;
    Secret& operator=(Secret&& other) noexcept;
    Secret(const Secret&) = delete;
    Secret& operator=(const Secret&) = delete;
    ~Secret();

    /// A second owner of the same bytes: explicit, so that copies can be found.
    [[nodiscard]] Secret duplicate() const { return copy_of(reveal()); }

    /// Valid while this object lives and is not moved from.
    [[nodiscard]] std::string_view reveal() const noexcept { return {data_, size_}; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

private:
    char* data_ = nullptr;
    std::size_t size_ = 0;
};

/// Overwrites `size` bytes at `data` in a way that the compiler does not remove.
void wipe(void* data, std::size_t size) noexcept;

/// A template: wiping a std::string, a vector of bytes or an array.
template <class Container>
void wipe(Container& container) noexcept
{
    wipe(container.data(), container.size() * sizeof(*container.data()));
}

/// No core dumps of this process, and no ptrace by processes of the same user (prctl(2) PR_SET_DUMPABLE, RLIMIT_CORE).
void forbid_dumps() noexcept;

} // namespace aduana
