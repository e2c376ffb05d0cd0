// SPDX-License-Identifier: Apache-2.0
// malloc_usable_size(3) says how much there is to overwrite.
#include "broker/courier/wiping_memory.hpp"

#include "policy/base/secret.hpp"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace aduana::broker {

void* wiping_malloc(std::size_t size)
{
    return std::malloc(size);
}

void wiping_free(void* memory)
{
    if (memory == nullptr)
        return;
    wipe(memory, ::malloc_usable_size(memory));
    std::free(memory);
}

void* wiping_realloc(void* memory, std::size_t size)
{
    // realloc(3) itself would leave the old bytes behind where it moves.
    void* const moved = std::malloc(size);
    if (moved == nullptr || memory == nullptr)
        return moved;
    std::memcpy(moved, memory, std::min(size, ::malloc_usable_size(memory)));
    wiping_free(memory);
    return moved;
}

char* wiping_strdup(const char* text)
{
    const auto size = std::strlen(text) + 1;
    auto* const copy = static_cast<char*>(std::malloc(size));
    if (copy != nullptr)
        std::memcpy(copy, text, size);
    return copy;
}

void* wiping_calloc(std::size_t count, std::size_t size)
{
    return std::calloc(count, size);
}

} // namespace aduana::broker
