// SPDX-License-Identifier: Apache-2.0
// Minted leaves by host, bounded: the least recently used one goes first.
#pragma once

#include "certs/task_ca.hpp"

#include <list>
#include <string>
#include <unordered_map>

namespace aduana::certs {

class LeafCache {
public:
    /// `ca` must outlive the cache. `capacity` is a number of leaves, at least 1.
    explicit LeafCache(const TaskCa& ca, std::size_t capacity = 256);

    /// Mints on a miss, and anew when a leaf has less than a day left. The result is valid until `capacity` other hosts
    /// were asked for; OpenSSL takes its own reference in SSL_use_certificate.
    [[nodiscard]] Leaf leaf_for(const policy::Host& host, TimePoint now);
    [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
    /// Leaves minted so far.
    [[nodiscard]] std::size_t minted() const noexcept { return minted_; }

private:
    struct Entry {
        std::string host;
        X509Ptr certificate;
        TimePoint expires;
    };
    /// The entry of `host`, now the most recently used; without a certificate where it is new.
    [[nodiscard]] Entry& newest_entry(const std::string& host);

    const TaskCa& ca_;
    std::size_t capacity_;
    std::size_t minted_ = 0;
    std::list<Entry> entries_;
    std::unordered_map<std::string, std::list<Entry>::iterator> by_host_;
};

} // namespace aduana::certs
