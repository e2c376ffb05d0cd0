// SPDX-License-Identifier: Apache-2.0
// The first, fast search: where one of many short byte strings stands in a window. The only user of Hyperscan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

struct hs_database;
struct hs_scratch;

namespace aduana::proxy {

/// Holds pieces of secrets, and wipes them when it ends. For one thread at a time.
class Sieve {
public:
    /// Plain: for processors that Hyperscan does not know, fifty times slower.
    enum class Engine : std::uint8_t { fastest, plain };
    /// Views of `literals`, which are different and not empty, must stay valid.
    explicit Sieve(std::vector<std::string_view> literals, Engine engine = Engine::fastest);

    struct Hit {
        std::uint32_t literal = 0; ///< its place among `literals`
        std::size_t end = 0;       ///< the place behind it in the window
    };
    /// Appends every occurrence, in the order of their ends. A window has less than 4 GiB.
    void find(std::string_view window, std::vector<Hit>& hits) const;

private:
    struct Free {
        void operator()(hs_database* database) const noexcept;
        void operator()(hs_scratch* scratch) const noexcept;
    };
    void compile();
    void find_plainly(std::string_view window, std::vector<Hit>& hits) const;

    std::vector<std::string_view> literals_;
    std::unique_ptr<hs_database, Free> database_; ///< null: plain
    std::unique_ptr<hs_scratch, Free> scratch_;
};

} // namespace aduana::proxy
