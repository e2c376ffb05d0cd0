// SPDX-License-Identifier: Apache-2.0
// Owners of libcrypto's objects, and what is done when it fails where it cannot.
#pragma once

#include <cstdlib>
#include <memory>

namespace aduana::broker {

/// For calls that fail only without memory or with a libcrypto that lacks SHA-256 or P-256: no request may go out
/// with a signature that was not made.
inline void must(bool done) noexcept
{
    if (!done)
        std::abort();
}

template <auto free>
struct Freer {
    template <class T>
    void operator()(T* object) const noexcept
    {
        free(object);
    }
};
template <class T, auto free>
using Owned = std::unique_ptr<T, Freer<free>>;

} // namespace aduana::broker
