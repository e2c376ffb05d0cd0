// SPDX-License-Identifier: Apache-2.0
// The allocator that libcurl gets: requests hold secrets, and it copies them.
#pragma once

#include <cstddef>

namespace aduana::broker {

/// As in malloc(3) and strdup(3), but what is freed is overwritten first.
[[nodiscard]] void* wiping_malloc(std::size_t size);
void wiping_free(void* memory);
[[nodiscard]] void* wiping_realloc(void* memory, std::size_t size);
[[nodiscard]] char* wiping_strdup(const char* text);
[[nodiscard]] void* wiping_calloc(std::size_t count, std::size_t size);

} // namespace aduana::broker
