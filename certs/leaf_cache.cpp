// SPDX-License-Identifier: Apache-2.0
// Minted leaves by host, bounded: the least recently used one goes first.
#include "certs/leaf_cache.hpp"

#include <algorithm>

namespace aduana::certs {

LeafCache::LeafCache(const TaskCa& ca, std::size_t capacity) : ca_(ca), capacity_(std::max<std::size_t>(capacity, 1)) {}

Leaf LeafCache::leaf_for(const policy::Host& host, TimePoint now)
{
    Entry& entry = newest_entry(host.text());
    if (!entry.certificate || entry.expires - now < std::chrono::days(1)) {
        entry.certificate = ca_.mint(host, now);
        entry.expires = now + leaf_validity;
        ++minted_;
    }
    return {entry.certificate.get(), ca_.leaf_key()};
}

LeafCache::Entry& LeafCache::newest_entry(const std::string& host)
{
    const auto found = by_host_.find(host);
    if (found != by_host_.end()) {
        entries_.splice(entries_.begin(), entries_, found->second);
        return entries_.front();
    }
    if (entries_.size() == capacity_) {
        by_host_.erase(entries_.back().host);
        entries_.pop_back();
    }
    entries_.push_front(Entry{host, nullptr, {}});
    by_host_.emplace(host, entries_.begin());
    return entries_.front();
}

} // namespace aduana::certs
