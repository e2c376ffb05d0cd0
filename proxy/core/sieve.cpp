// SPDX-License-Identifier: Apache-2.0
// Hyperscan (or Vectorscan, which has the same interface) over pure literals, one window at a time.
#include "proxy/core/sieve.hpp"

#include "policy/base/secret.hpp"

#include <hs.h>
#include <malloc.h>

#include <algorithm>
#include <cstdlib>

namespace aduana::proxy {

namespace {

/// Databases hold the literals, and scratch memory what was searched last.
void free_wiped(void* memory)
{
    wipe(memory, ::malloc_usable_size(memory));
    std::free(memory);
}

void use_wiping_allocator()
{
    static const bool once = hs_set_allocator(std::malloc, free_wiped) == HS_SUCCESS;
    static_cast<void>(once);
}

int add_hit(unsigned literal, unsigned long long, unsigned long long end, unsigned, void* hits)
{
    static_cast<std::vector<Sieve::Hit>*>(hits)->push_back({literal, end});
    return 0;
}

} // namespace

void Sieve::Free::operator()(hs_database* database) const noexcept
{
    hs_free_database(database);
}

void Sieve::Free::operator()(hs_scratch* scratch) const noexcept
{
    hs_free_scratch(scratch);
}

Sieve::Sieve(std::vector<std::string_view> literals, Engine engine) : literals_(std::move(literals))
{
    if (engine == Engine::fastest && !literals_.empty())
        compile();
}

/// What the compiler itself allocates on its way it does not wipe: that is why it gets short pieces of the secrets.
void Sieve::compile()
{
    use_wiping_allocator();
    const auto count = literals_.size();
    std::vector<const char*> starts;
    std::vector<std::size_t> sizes;
    std::vector<unsigned> ids;
    for (const auto literal : literals_) {
        starts.push_back(literal.data());
        sizes.push_back(literal.size());
        ids.push_back(static_cast<unsigned>(ids.size()));
    }
    const std::vector<unsigned> flags(count, 0);
    hs_database_t* database = nullptr;
    hs_compile_error_t* error = nullptr;
    const auto compiled = hs_compile_lit_multi(starts.data(), flags.data(), ids.data(), sizes.data(),
                                               static_cast<unsigned>(count), HS_MODE_BLOCK, nullptr, &database, &error);
    if (compiled != HS_SUCCESS) {
        hs_free_compile_error(error);
        return;
    }
    database_.reset(database);
    hs_scratch_t* scratch = nullptr;
    if (hs_alloc_scratch(database, &scratch) != HS_SUCCESS)
        database_.reset();
    scratch_.reset(scratch);
}

void Sieve::find(std::string_view window, std::vector<Hit>& hits) const
{
    if (!database_)
        return find_plainly(window, hits);
    const auto before = hits.size();
    const auto scanned = hs_scan(database_.get(), window.data(), static_cast<unsigned>(window.size()), 0,
                                 scratch_.get(), add_hit, &hits);
    if (scanned == HS_SUCCESS)
        return;
    hits.resize(before);
    find_plainly(window, hits);
}

void Sieve::find_plainly(std::string_view window, std::vector<Hit>& hits) const
{
    for (std::size_t end = 1; end <= window.size(); ++end) {
        for (std::uint32_t i = 0; i < literals_.size(); ++i) {
            if (window.substr(0, end).ends_with(literals_[i]))
                hits.push_back({i, end});
        }
    }
}

} // namespace aduana::proxy
