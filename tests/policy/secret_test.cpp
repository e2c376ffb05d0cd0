// SPDX-License-Identifier: Apache-2.0
// Secrets: locked, left out of core files, wiped, and hard to show by accident.
#include "policy/base/secret.hpp"

#include <gtest/gtest.h>

#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <fstream>
#include <optional>
#include <ostream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace aduana {
namespace {

template <class T>
concept Printable = requires(std::ostream& out, const T& value) { out << value; };

static_assert(!std::copyable<Secret> && std::movable<Secret>);
static_assert(!std::equality_comparable<Secret>);
static_assert(!std::convertible_to<Secret, std::string> && !std::convertible_to<Secret, std::string_view>);
static_assert(!Printable<Secret>);

#if defined(__has_feature) && __has_feature(address_sanitizer)
constexpr bool mlock_is_replaced = true; // AddressSanitizer makes a no-op of mlock(2)
#else
constexpr bool mlock_is_replaced = false;
#endif

/// The flags that the kernel shows for the mapping of an address (proc(5), smaps, VmFlags).
std::string mapping_flags(const void* address)
{
    const auto wanted = reinterpret_cast<std::uintptr_t>(address);
    std::ifstream maps("/proc/self/smaps");
    bool inside = false;
    for (std::string line; std::getline(maps, line);) {
        std::uintptr_t begin = 0;
        std::uintptr_t end = 0;
        char dash = 0;
        std::istringstream head(line);
        if (head >> std::hex >> begin >> dash >> end && dash == '-')
            inside = begin <= wanted && wanted < end;
        else if (inside && line.starts_with("VmFlags:"))
            return line + " ";
    }
    return {};
}

long locked_kib()
{
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmLck:"))
            return std::stol(line.substr(6));
    return -1;
}

TEST(Secret, HoldsACopyOfTheBytes)
{
    using namespace std::string_literals;
    std::string original = "token\0with a NUL"s;
    const Secret secret = Secret::copy_of(original);
    wipe(original);
    EXPECT_EQ(secret.reveal(), "token\0with a NUL"s);
    EXPECT_EQ(secret.size(), secret.reveal().size());
    EXPECT_FALSE(secret.empty());
}

TEST(Secret, IsEmptyByDefaultAndForNoBytes)
{
    EXPECT_TRUE(Secret().empty());
    EXPECT_TRUE(Secret::copy_of("").empty());
    EXPECT_EQ(Secret().reveal(), "");
}

TEST(Secret, MovesAndLeavesNothingBehind)
{
    Secret first = Secret::copy_of("first");
    Secret second = std::move(first);
    EXPECT_TRUE(first.empty()); // NOLINT(bugprone-use-after-move): that it is empty is the point
    EXPECT_EQ(second.reveal(), "first");

    Secret third = Secret::copy_of("third");
    third = std::move(second);
    EXPECT_TRUE(second.empty()); // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(third.reveal(), "first");

    Secret& itself = third;
    third = std::move(itself);
    EXPECT_EQ(third.reveal(), "first");
}

TEST(Secret, DuplicateOutlivesTheOriginal)
{
    std::optional<Secret> original = Secret::copy_of("shared");
    const Secret copy = original->duplicate();
    original.reset();
    EXPECT_EQ(copy.reveal(), "shared");
}

TEST(Secret, LivesInLockedMemoryThatCoreFilesLeaveOut)
{
    for (const std::size_t size : {1UL, 64UL, 65UL, 4096UL, 16UL * 1024, 16UL * 1024 + 1, 100'000UL}) {
        SCOPED_TRACE(size);
        const Secret secret = Secret::copy_of(std::string(size, 'x'));
        const std::string first = mapping_flags(secret.reveal().data());
        const std::string last = mapping_flags(secret.reveal().data() + size - 1);
        for (const std::string& flags : {first, last}) {
            EXPECT_TRUE(mlock_is_replaced || flags.find(" lo ") != std::string::npos) << "not locked: " << flags;
            EXPECT_NE(flags.find(" dd "), std::string::npos) << "dumped: " << flags;
        }
    }
}

TEST(Secret, IsWipedWhenItEnds)
{
    constexpr std::size_t size = 1000;
    std::optional<Secret> secret = Secret::copy_of(std::string(size, 'S'));
    const volatile char* const bytes = secret->reveal().data();
    secret.reset();
    // The slab stays mapped. A free block begins with a pointer to the next one; it holds no byte of the secret.
    EXPECT_LT(std::count(bytes, bytes + sizeof(void*), 'S'), 4) << "one byte of a pointer may be an S";
    EXPECT_TRUE(std::all_of(bytes + sizeof(void*), bytes + size, [](char c) { return c == 0; }));
}

TEST(Secret, IsWipedWhenItIsOverwritten)
{
    Secret secret = Secret::copy_of(std::string(500, 'S'));
    const volatile char* const bytes = secret.reveal().data();
    secret = Secret::copy_of(std::string(500, 'T'));
    // As above: any byte of the pointer to the next free block may be an S.
    EXPECT_EQ(std::count(bytes + sizeof(void*), bytes + 500, 'S'), 0);
    EXPECT_NE(secret.reveal().data(), bytes);
}

TEST(Secret, ReusesMemory)
{
    {
        const Secret warm_up = Secret::copy_of(std::string(300, 'x'));
    }
    const long before = locked_kib();
    for (int i = 0; i < 100'000; ++i)
        const Secret secret = Secret::copy_of(std::string(300, 'x'));
    EXPECT_EQ(locked_kib(), before);
}

TEST(Secret, GivesLargeMappingsBack)
{
    const long before = locked_kib();
    for (int i = 0; i < 200; ++i)
        const Secret secret = Secret::copy_of(std::string(1 << 20, 'x'));
    EXPECT_EQ(locked_kib(), before);
}

TEST(Secret, NeverSharesABlockBetweenLivingSecrets)
{
    std::vector<Secret> secrets;
    for (std::size_t i = 0; i < 3000; ++i)
        secrets.push_back(Secret::copy_of(std::string(1 + i % 300, static_cast<char>('a' + i % 26))));
    for (std::size_t i = 0; i < secrets.size(); ++i)
        ASSERT_EQ(secrets[i].reveal(), std::string(1 + i % 300, static_cast<char>('a' + i % 26)));
}

TEST(Secret, MayBeMadeAndEndedOnSeveralThreads)
{
    std::vector<std::thread> threads;
    std::array<int, 4> wrong{};
    for (std::size_t thread = 0; thread < wrong.size(); ++thread)
        threads.emplace_back([thread, &wrong] {
            const std::string bytes(100 + thread, static_cast<char>('a' + thread));
            for (int i = 0; i < 20'000; ++i)
                if (Secret::copy_of(bytes).duplicate().reveal() != bytes)
                    ++wrong[thread];
        });
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(wrong, (std::array<int, 4>{}));
}

void lock_without_permission()
{
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_MEMLOCK, &none);
    // Root may lock without limit: become somebody else.
    if (::geteuid() == 0 && ::setresuid(65534, 65534, 65534) != 0)
        ::_exit(1);
    const Secret secret = Secret::copy_of(std::string(20'000, 'x'));
}

TEST(SecretDeathTest, EndsTheProcessWhenMemoryCannotBeLocked)
{
    if (mlock_is_replaced)
        GTEST_SKIP() << "AddressSanitizer replaces mlock(2) by nothing";
    EXPECT_DEATH(lock_without_permission(),
                 "aduana: cannot lock 20480 bytes of memory for secrets: .*; raise the limit of locked memory");
}

TEST(Wipe, OverwritesStringsAndArrays)
{
    std::string text = "secret";
    wipe(text);
    EXPECT_EQ(text, std::string(6, '\0'));
    std::array<std::uint32_t, 2> numbers{1, 2};
    wipe(numbers);
    EXPECT_EQ(numbers, (std::array<std::uint32_t, 2>{}));
    std::vector<unsigned char> nothing;
    wipe(nothing);
}

[[noreturn]] void exit_with_0_if_dumps_are_forbidden()
{
    forbid_dumps();
    rlimit core{9, 9};
    ::getrlimit(RLIMIT_CORE, &core);
    ::_exit(core.rlim_cur <= 1 && core.rlim_max <= 1 && ::prctl(PR_GET_DUMPABLE) == 0 ? 0 : 1);
}

TEST(ForbidDumpsDeathTest, LeavesNoWayToACoreFile)
{
    EXPECT_EXIT(exit_with_0_if_dumps_are_forbidden(), testing::ExitedWithCode(0), "");
}

} // namespace
} // namespace aduana
