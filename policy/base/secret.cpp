// SPDX-License-Identifier: Apache-2.0
// The locked memory behind Secret: slabs of equal blocks, one free list for each block size.
//
//   size     1..64    65..128   ...   8 KiB+1..16 KiB   larger
//   block      64       128     ...        16 KiB       a mapping of its own, whole pages
//            +----+----+----+----+ ...
//   slab     | 64 | 64 | 64 | 64 |      16 KiB, mapped and locked once, never given back
//            +----+----+----+----+ ...
//
// A secret per request must not cost a system call, and RLIMIT_MEMLOCK may be as low as 8 MiB for everything.
#include "policy/base/secret.hpp"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>

namespace aduana {
namespace {

constexpr std::size_t smallest_block = 64;
constexpr std::size_t slab_size = 16 * 1024;
constexpr std::size_t class_count = std::bit_width(slab_size / smallest_block);

/// Without locked memory there is no safe way on: a secret could reach the swap or a core file.
[[noreturn]] void give_up(const char* what, std::size_t size)
{
    std::fprintf(stderr,
                 "aduana: cannot %s %zu bytes of memory for secrets: %s; raise the limit of locked memory "
                 "(ulimit -l, or LimitMEMLOCK= of the service)\n",
                 what, size, std::strerror(errno));
    std::abort();
}

std::size_t whole_pages(std::size_t size)
{
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    return (size + page - 1) / page * page;
}

char* map_locked(std::size_t size)
{
    void* const memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        give_up("map", size);
    if (::mlock(memory, size) != 0)
        give_up("lock", size);
    if (::madvise(memory, size, MADV_DONTDUMP) != 0)
        give_up("keep out of core files", size);
    return static_cast<char*>(memory);
}

constexpr std::size_t block_size(std::size_t size)
{
    return std::bit_ceil(size < smallest_block ? smallest_block : size);
}

/// Trivially destructible, so that secrets of static objects can still be freed while the process exits.
class Arena {
public:
    char* allocate(std::size_t size)
    {
        if (size > slab_size)
            return map_locked(whole_pages(size));
        const std::size_t block = block_size(size);
        const std::lock_guard guard(mutex_);
        FreeBlock*& head = free_[class_of(block)];
        if (head == nullptr)
            head = carve(map_locked(slab_size), block);
        FreeBlock* const taken = head;
        head = taken->next;
        taken->next = nullptr;
        return reinterpret_cast<char*>(taken);
    }

    void release(char* data, std::size_t size) noexcept
    {
        wipe(data, size);
        if (size > slab_size) {
            ::munmap(data, whole_pages(size));
            return;
        }
        const std::lock_guard guard(mutex_);
        FreeBlock*& head = free_[class_of(block_size(size))];
        head = ::new (data) FreeBlock{head};
    }

private:
    struct FreeBlock {
        FreeBlock* next;
    };

    static std::size_t class_of(std::size_t block) { return std::bit_width(block / smallest_block) - 1; }

    static FreeBlock* carve(char* slab, std::size_t block)
    {
        FreeBlock* head = nullptr;
        for (std::size_t end = slab_size; end >= block; end -= block) {
            char* const place = slab + end - block;
            head = ::new (place) FreeBlock{head};
        }
        return head;
    }

    std::mutex mutex_;
    std::array<FreeBlock*, class_count> free_{};
};

constinit Arena arena;

} // namespace

Secret Secret::copy_of(std::string_view bytes)
{
    Secret secret;
    if (bytes.empty())
        return secret;
    secret.data_ = arena.allocate(bytes.size());
    secret.size_ = bytes.size();
    std::memcpy(secret.data_, bytes.data(), bytes.size());
    return secret;
}

Secret::Secret(Secret&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0))
{
}

Secret& Secret::operator=(Secret&& other) noexcept
{
    if (this == &other)
        return *this;
    if (data_ != nullptr)
        arena.release(data_, size_);
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
    return *this;
}

Secret::~Secret()
{
    if (data_ != nullptr)
        arena.release(data_, size_);
}

void wipe(void* data, std::size_t size) noexcept
{
    if (size != 0)
        ::explicit_bzero(data, size);
}

void forbid_dumps() noexcept
{
    ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    // No file is that short. What is started from here may be dumpable again, and where core_pattern pipes, the kernel
    // hands a core over in spite of every limit but 1 (fs/coredump.c).
    const rlimit least{1, 1};
    ::setrlimit(RLIMIT_CORE, &least);
}

} // namespace aduana
